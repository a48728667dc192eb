/* The loops a careful person would write by hand: the references of the speed bars. */
#include <math.h>

/* Planar Kepler problem by velocity Verlet: state x, y, vx, vy. */
void kepler_verlet(double *state, double h, long steps)
{
    double x = state[0], y = state[1], vx = state[2], vy = state[3];
    double r2 = x * x + y * y, f = -1.0 / (r2 * sqrt(r2));
    double ax = f * x, ay = f * y;
    for (long i = 0; i < steps; i++) {
        vx += 0.5 * h * ax;
        vy += 0.5 * h * ay;
        x += h * vx;
        y += h * vy;
        r2 = x * x + y * y;
        f = -1.0 / (r2 * sqrt(r2));
        ax = f * x;
        ay = f * y;
        vx += 0.5 * h * ax;
        vy += 0.5 * h * ay;
    }
    state[0] = x, state[1] = y, state[2] = vx, state[3] = vy;
}

/* Pendulum, L = v^2/2 + cos q, by the implicit midpoint rule: p = u/h + (h/2) sin(q + u/2) solved for the increment u
   by Newton's method, started from the last increment, until the correction is below rounding. */
void pendulum_midpoint(double *state, double h, long steps)
{
    double q = state[0], p = state[1], u = h * p;
    for (long i = 0; i < steps; i++) {
        for (int k = 0; k < 20; k++) {
            double m = q + 0.5 * u;
            double r = u / h + 0.5 * h * sin(m) - p;
            double d = r / (1.0 / h + 0.25 * h * cos(m));
            u -= d;
            if (fabs(d) <= 1e-15 * fabs(u))
                break;
        }
        p -= h * sin(q + 0.5 * u);
        q += u;
    }
    state[0] = q, state[1] = p;
}

/* The same pendulum by the two-stage Gauss method, order 4: stages of q, Newton's method on both at once. */
void pendulum_gauss2(double *state, double h, long steps)
{
    const double s = sqrt(3.0) / 6.0, c1 = 0.5 - s, c2 = 0.5 + s;
    const double a11 = 0.25, a12 = 0.25 - s, a21 = 0.25 + s, a22 = 0.25;
    /* q_i = q + c_i h p + h^2 sum_j (a a)_ij f_j */
    const double b11 = a11 * a11 + a12 * a21, b12 = a11 * a12 + a12 * a22;
    const double b21 = a21 * a11 + a22 * a21, b22 = a21 * a12 + a22 * a22;
    double q = state[0], p = state[1], z1 = c1 * h * p, z2 = c2 * h * p, hh = h * h;
    for (long i = 0; i < steps; i++) {
        double f1, f2;
        for (int k = 0; k < 20; k++) {
            f1 = -sin(q + z1), f2 = -sin(q + z2);
            double g1 = -cos(q + z1), g2 = -cos(q + z2);
            double r1 = z1 - c1 * h * p - hh * (b11 * f1 + b12 * f2);
            double r2 = z2 - c2 * h * p - hh * (b21 * f1 + b22 * f2);
            double j11 = 1.0 - hh * b11 * g1, j12 = -hh * b12 * g2;
            double j21 = -hh * b21 * g1, j22 = 1.0 - hh * b22 * g2;
            double det = 1.0 / (j11 * j22 - j12 * j21);
            double d1 = det * (j22 * r1 - j12 * r2), d2 = det * (j11 * r2 - j21 * r1);
            z1 -= d1;
            z2 -= d2;
            if (fabs(d1) + fabs(d2) <= 1e-15 * (fabs(z1) + fabs(z2)))
                break;
        }
        f1 = -sin(q + z1), f2 = -sin(q + z2);
        q += h * p + 0.5 * hh * ((1.0 - c1) * f1 + (1.0 - c2) * f2);
        p += 0.5 * h * (f1 + f2);
        /* The next stages lie one step ahead at the present speed. */
        z1 = c1 * h * p;
        z2 = c2 * h * p;
    }
    state[0] = q, state[1] = p;
}

/* Pendulum in the plane, x^2 + y^2 = 1 under unit gravity, by RATTLE: state x, y, vx, vy. The multiplier that reaches the
   circle is found by Newton's method, started from the last one; the velocity is then led back along the circle. */
void pendulum_rattle(double *state, double h, long steps)
{
    double x = state[0], y = state[1], vx = state[2], vy = state[3], m = 0.0;
    for (long i = 0; i < steps; i++) {
        double a = vx, b = vy - 0.5 * h;
        double ux = h * a, uy = h * b, gx = 2.0 * h * x, gy = 2.0 * h * y;
        for (int k = 0; k < 20; k++) {
            double qx = x + (ux + m * gx), qy = y + (uy + m * gy);
            double d = (qx * qx + qy * qy - 1.0) / (2.0 * (qx * gx + qy * gy));
            m -= d;
            if (2.0 * h * fabs(d) <= 1e-15)
                break;
        }
        a += 2.0 * m * x;
        b += 2.0 * m * y;
        x += h * a;
        y += h * b;
        b -= 0.5 * h;
        double n = (a * x + b * y) / (x * x + y * y);
        vx = a - n * x;
        vy = b - n * y;
    }
    state[0] = x, state[1] = y, state[2] = vx, state[3] = vy;
}
