"""Weights from files: those of the reference under its names, ours under ours."""

import torch

SPECTRAL = "weight.tensor"


def from_reference(network, tensors):
    """Loads `weight.field.*`; complex tensors are stored as two real ones."""
    prefix = "weight.field."
    stored = {k[len(prefix) :]: v for k, v in tensors.items() if k.startswith(prefix)}
    return fill(network, stored)


def fill(network, stored):
    state = {}
    for name, parameter in network.state_dict().items():
        if name.endswith(SPECTRAL):
            value = torch.complex(stored.pop(name + ".re"), stored.pop(name + ".im"))
        else:
            value = stored.pop(name)
        state[name] = value.reshape(parameter.shape)
    assert not stored, f"weights without a place: {sorted(stored)}"
    network.load_state_dict(state)
    return network


def from_ours(network, tensors):
    """Loads `weight.*` under our names: channels last, so each is the transpose of theirs."""
    stored = {}
    for name, value in tensors.items():
        if name.startswith("weight."):
            stored[reference_name(name.split(".")[1:])] = transposed(value)
    return fill(network, line(stored, network))


def line(stored, network):
    """On a line spectral weights have no mode along y."""
    if network.fno_module.n_dim == 1:
        return {k: v.squeeze(2) if SPECTRAL in k else v for k, v in stored.items()}
    return stored


def transposed(value):
    if value.ndim == 4:
        return value.permute(2, 3, 0, 1).contiguous()
    return value.T.contiguous() if value.ndim == 2 else value


def reference_name(path):
    match path:
        case ["lift", *rest]:
            return f"lifting_module.{mlp(rest)}"
        case ["lift_condition", *rest]:
            return f"cond_lifting_module.{mlp(rest)}"
        case ["lift_film", *rest]:
            return f"cond_lifting_film.{film(rest)}"
        case ["project", *rest]:
            return f"projection_module.{mlp(rest)}"
        case ["linear", "spectral", part]:
            return f"linear_operator.K.{spectral(part)}"
        case ["linear", "pointwise", part]:
            return f"linear_operator.W.{part}"
        case ["linear", "film", *rest]:
            return f"cond_linear_op_film.{film(rest)}"
        case ["layers", i, "film", *rest]:
            return f"cond_fno_film.{i}.{film(rest)}"
        case ["layers", i, "spectral", part]:
            return f"fno_module.convs.{i}.{spectral(part)}"
        case ["layers", i, "skip", part]:
            return f"fno_module.fno_skips.{i}.conv.{part}"
        case ["layers", i, "mlp", *rest]:
            return f"fno_module.channel_mlp.{i}.{mlp(rest)}"
        case ["layers", i, "gate"]:
            return f"fno_module.channel_mlp_skips.{i}.weight"
    raise KeyError(".".join(path))


def mlp(path):
    layer, part = path
    return f"fcs.{'hidden output'.split().index(layer)}.{part}"


def film(path):
    _, i, part = path
    return f"film.network.{2 * int(i)}.{part}"


def spectral(part):
    return {"weight_re": f"{SPECTRAL}.re", "weight_im": f"{SPECTRAL}.im", "bias": "bias"}[part]
