"""The body that every program gets."""

YOUNG, POISSON, DENSITY = 2e6, 0.4, 1000.0
LAMBDA = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
MU = YOUNG / (2 * (1 + POISSON))
TWIST, OMEGA = 0.3, 5.0
SAMPLES = 20  # energies looked at, outside the measured time
