"""The prior by GPyTorch, as the reference draws it: a new distribution over all points each time."""

import gpytorch
import torch


def grid_points(grid):
    axes = [torch.linspace(0, 1, n) for n in grid]
    return torch.stack(torch.meshgrid(*axes, indexing="ij"), dim=-1).reshape(-1, len(grid))


def kernel(length=1e-3):
    matern = gpytorch.kernels.MaternKernel(nu=0.5)
    matern.lengthscale = length
    return gpytorch.kernels.ScaleKernel(matern)


def draw(grid, fields):
    """[fields, 1, grid...]; beyond 800 points GPyTorch replaces the covariance by one of low rank."""
    points = grid_points(grid)
    covariance = kernel()
    covariance.outputscale = 1.0
    with torch.no_grad():
        process = gpytorch.distributions.MultivariateNormal(
            torch.zeros(len(points)), covariance(points)
        )
        return process.sample(torch.Size([fields])).reshape(fields, 1, *grid)
