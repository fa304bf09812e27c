"""Neo-Hookean tets in NumPy, dense: energy, gradient and Hessian projected to positive semi-definite."""
import numpy as np


class NeoHookean:
    """psi = mu/2 (I1 - 3) - mu ln J + lambda/2 (ln J)^2, as the law `neo_hookean` (docs/physics/elasticity.md).

    @param rest  positions (n, 3) at rest in metres
    @param tets  (k, 4)
    @param mu, lame  moduli (k) in Pa
    """

    def __init__(self, rest, tets, mu, lame):
        edges = rest[tets[:, 1:]] - rest[tets[:, :1]]  # rows: edges
        self.tets, self.mu, self.lame, self.count = tets, mu, lame, len(rest)
        self.volume = np.linalg.det(edges) / 6
        inverse = np.linalg.inv(edges)
        shape = np.concatenate([-inverse.sum(axis=2, keepdims=True), inverse], axis=2)  # (k, 3, 4): dN_v / dX_j
        self.b = np.einsum("ejv,ic->eijvc", shape, np.eye(3)).reshape(len(tets), 9, 12)  # F_ij = b x_vc
        self.slots = (3 * tets[:, :, None] + np.arange(3)).reshape(len(tets), 12)

    def gradients(self, x):
        """Deformation gradients (k, 3, 3)."""
        return np.einsum("efv,ev->ef", self.b, x.reshape(-1)[self.slots]).reshape(-1, 3, 3)

    def lowest_j(self, x):
        return float(np.linalg.det(self.gradients(x)).min())

    def energy(self, x):
        """J; infinite if a tet is inverted."""
        f = self.gradients(x)
        j = np.linalg.det(f)
        if j.min() <= 0:
            return np.inf
        log = np.log(j)
        density = 0.5 * self.mu * ((f * f).sum(axis=(1, 2)) - 3) - self.mu * log + 0.5 * self.lame * log**2
        return float(self.volume @ density)

    def gradient(self, x):
        """dE/dx, (3 n), N."""
        f = self.gradients(x)
        log, inverse = np.log(np.linalg.det(f)), np.linalg.inv(f)
        stress = self.mu[:, None, None] * f + (self.lame * log - self.mu)[:, None, None] * inverse.transpose(0, 2, 1)
        forces = np.einsum("e,efv,ef->ev", self.volume, self.b, stress.reshape(-1, 9))
        total = np.zeros(3 * self.count)
        np.add.at(total, self.slots, forces)
        return total

    def hessian(self, x, project=True):
        """d2E/dx2, (3 n, 3 n); `project`: of each tet only what is positive semi-definite."""
        f = self.gradients(x)
        log, inverse = np.log(np.linalg.det(f)), np.linalg.inv(f)
        local = np.einsum("e,ejk,eli->eijkl", self.mu - self.lame * log, inverse, inverse)
        local += np.einsum("e,eji,elk->eijkl", self.lame, inverse, inverse)
        local = local.reshape(-1, 9, 9) + self.mu[:, None, None] * np.eye(9)
        if project:
            values, vectors = np.linalg.eigh(local)
            local = np.einsum("eik,ek,ejk->eij", vectors, np.maximum(values, 0), vectors)
        blocks = np.einsum("e,efv,efg,egw->evw", self.volume, self.b, local, self.b, optimize=True)
        total = np.zeros((3 * self.count, 3 * self.count))
        np.add.at(total, (self.slots[:, :, None], self.slots[:, None, :]), blocks)
        return total
