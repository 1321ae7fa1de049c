"""The paper's network as a user of PyTorch writes it, on neuraloperator's blocks.

Attributes carry the names of the reference's parameters, so that its stored weights load by name.
`forward` is the network as published: it derives the FiLM coefficients anew in every evaluation.
`condition` and `velocity` are the same with that part hoisted, for users who thought of it.
"""

import math

import torch
from neuralop.layers.channel_mlp import ChannelMLP
from neuralop.layers.fno_block import FNOBlocks
from neuralop.layers.spectral_convolution import SpectralConv
from torch import nn

FREQUENCIES = torch.logspace(-1, 2, 5)


class Coefficients(nn.Module):
    def __init__(self, condition, width, features):
        super().__init__()
        widths = [condition, width, width, width, 2 * features]
        layers = []
        for i, (inputs, outputs) in enumerate(zip(widths, widths[1:])):
            layers += [nn.SiLU()] if i else []
            layers.append(nn.Linear(inputs, outputs))
        self.network = nn.Sequential(*layers)


class Film(nn.Module):
    """x (1 + g) + b with (g, b) an MLP of the condition, point by point."""

    def __init__(self, condition, width, features):
        super().__init__()
        self.film = Coefficients(condition, width, features)

    def forward(self, condition):
        g, b = self.film.network(condition.movedim(1, -1)).movedim(-1, 1).chunk(2, dim=1)
        return 1 + g, b


def modulate(x, coefficients):
    scale, shift = coefficients
    return x * scale + shift


class LinearOperator(nn.Module):
    def __init__(self, inputs, outputs, n_modes):
        super().__init__()
        convolution = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}[len(n_modes)]
        self.K = SpectralConv(inputs, outputs, n_modes)
        self.W = convolution(inputs, outputs, 1)

    def forward(self, x):
        return self.K(x) + self.W(x)


def embed(tau):
    """tau: [batch] -> [batch, 10]."""
    phase = 2 * math.pi * tau[:, None] * FREQUENCIES
    return torch.cat([phase.sin(), phase.cos()], dim=1)


def with_coordinates(x):
    axes = [torch.arange(n) / n for n in x.shape[2:]]
    coordinates = torch.stack(torch.meshgrid(*axes, indexing="ij"))
    return torch.cat([x, coordinates.expand(x.shape[0], *coordinates.shape)], dim=1)


class FilmFno(nn.Module):
    def __init__(self, n_modes, hidden=64, film=64, layers=4, channels=1, conditions=2):
        super().__init__()
        d = len(n_modes)
        inputs = channels + 2 * len(FREQUENCIES)
        self.lifting_module = ChannelMLP(inputs + d, hidden, 4 * hidden)
        self.cond_lifting_module = ChannelMLP(conditions + d, hidden, 4 * hidden)
        self.cond_lifting_film = Film(hidden, film, hidden)
        self.fno_module = FNOBlocks(
            hidden,
            hidden,
            n_modes,
            n_layers=layers,
            fno_skip="linear",
            channel_mlp_skip="soft-gating",
            use_channel_mlp=True,
            channel_mlp_expansion=0.5,
        )
        self.cond_fno_film = nn.ModuleList(Film(hidden, film, hidden) for _ in range(layers))
        self.projection_module = ChannelMLP(hidden, channels, 4 * hidden)
        self.linear_operator = LinearOperator(inputs, channels, n_modes)
        self.cond_linear_op_film = Film(conditions, film, channels)

    def condition(self, condition):
        """condition: [batch, channel, grid...] -> the coefficients of every FiLM."""
        lifted = self.cond_lifting_module(with_coordinates(condition))
        return {
            "lift": self.cond_lifting_film(lifted),
            "layers": [film(lifted) for film in self.cond_fno_film],
            "linear": self.cond_linear_op_film(condition),
        }

    def velocity(self, w, tau, context):
        """w: [batch, channel, grid...], tau: [batch] -> same shape as w."""
        time = embed(tau)
        time = time.reshape(*time.shape, *[1] * (w.ndim - 2)).expand(-1, -1, *w.shape[2:])
        inputs = torch.cat([w, time], dim=1)
        x = modulate(self.lifting_module(with_coordinates(inputs)), context["lift"])
        for i, coefficients in enumerate(context["layers"]):
            x = modulate(self.fno_module(x, i), coefficients)
        linear = modulate(self.linear_operator(inputs), context["linear"])
        return self.projection_module(x) + linear

    def forward(self, w, tau, condition):
        return self.velocity(w, tau, self.condition(condition))


def select(context, rows):
    """The coefficients of a batch whose sample i belongs to input rows[i]."""
    pick = lambda pair: tuple(part[rows] for part in pair)
    return {
        "lift": pick(context["lift"]),
        "layers": [pick(pair) for pair in context["layers"]],
        "linear": pick(context["linear"]),
    }
