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

/* Variational collisions [FET03 5.1] with the trapezoidal rule under gravity g. A leg of length d leaves (q, v) with the mean
   velocity u = v + d a/2, so its end is explicit in d; the leg that leaves an impact has an impulse along the normal besides, of
   which its energy u.M u/2 + (V0 + V1)/2, (5.6a), is a quadratic function. */

static const double gravity = 9.81;

/* A particle over the floor y = 0: state x, y, vx, vy. A leg that leaves the floor with an energy goes up, so there is at most one
   impact a step. */
void particle_bounce(double *state, double h, long steps)
{
    double x = state[0], y = state[1], vx = state[2], vy = state[3];
    const double g = gravity, kick = 0.5 * h * g;
    for (long i = 0; i < steps; i++) {
        double u = vy - kick, end = y + h * u;
        x += h * vx;
        if (end >= 0.0) {
            y = end;
            vy = u - kick;
            continue;
        }
        /* 0 = y + d vy - d^2 g/2, the root ahead, without cancellation. */
        double root = sqrt(vy * vy + 2.0 * g * y);
        double d = vy > 0.0 ? (vy + root) / g : 2.0 * y / (root - vy);
        u = vy - 0.5 * d * g;
        double energy = 0.5 * u * u + 0.5 * g * y, left = h - d;
        /* The upward root of u^2/2 + g left u/2 = energy. */
        double half = 0.5 * g * left;
        u = 2.0 * energy / (half + sqrt(half * half + 2.0 * energy));
        y = left * u;
        vy = u - half;
    }
    state[0] = x, state[1] = y, state[2] = vx, state[3] = vy;
}

/* An ellipse of semi-axes 1/2 and 1/4 and unit mass over the floor: state x, y, a, vx, vy and the angular momentum. */
static const double long2 = 0.25, short2 = 0.0625, inertia = 0.078125;

/* The height of its centre when it touches, and the derivative in the angle. */
static double support(double a, double *slope)
{
    double s = sin(a), c = cos(a), w = sqrt(long2 * s * s + short2 * c * c);
    *slope = (long2 - short2) * s * c / w;
    return w;
}

/* A leg: where it leaves, with the momenta there, and whether it leaves an impact with a normal (1, n) and an energy. */
struct departure {
    double y, a, py, pa, n, energy;
    int kicked;
};

/* The mean momenta of a leg of length d. */
static void mean(const struct departure *from, double d, double *uy, double *ua)
{
    const double g = gravity;
    *uy = from->py - 0.5 * d * g;
    *ua = from->pa;
    if (from->kicked) {
        /* (uy + m)^2/2 + (ua + m n)^2/(2 I) + g (2 y + d (uy + m))/2 = energy, the larger root. */
        double n = from->n, A = 0.5 * (1.0 + n * n / inertia);
        double B = *uy + *ua * n / inertia + 0.5 * g * d;
        double C = 0.5 * *uy * *uy + 0.5 * *ua * *ua / inertia + g * (from->y + 0.5 * d * *uy) - from->energy;
        double m = (-B + sqrt(B * B - 4.0 * A * C)) / (2.0 * A);
        *uy += m;
        *ua += m * n;
    }
}

static double gap_after(const struct departure *from, double d, double *y, double *a, double *n)
{
    double uy, ua;
    mean(from, d, &uy, &ua);
    *y = from->y + d * uy;
    *a = from->a + d * ua / inertia;
    double w = support(*a, n);
    *n = -*n;
    return *y - w;
}

/* A step that meets the floor, once or several times. */
static void ellipse_impacts(struct departure from, double h, double *state)
{
    const double g = gravity;
    double left = h, y, a, n, uy, ua, f;
    while ((f = gap_after(&from, left, &y, &a, &n)) < 0.0) {
        double low = 0.0, high = left, d = left;
        if (from.kicked) {
            /* Off the floor it must open before it closes again. */
            do {
                high = d;
                d *= 0.5;
                f = gap_after(&from, d, &y, &a, &n);
            } while (f <= 0.0 && d > 1e-9 * h);
            low = d;
        }
        /* Newton's method in a bracket: the gap closes at the rate of the end of the leg. */
        for (int k = 0; k < 50; k++) {
            mean(&from, d, &uy, &ua);
            double next = d - f / (uy - 0.5 * d * g + n * ua / inertia);
            if (!(next > low && next < high))
                next = 0.5 * (low + high);
            double change = fabs(next - d);
            d = next;
            f = gap_after(&from, d, &y, &a, &n);
            if (f >= 0.0)
                low = d;
            else
                high = d;
            if (change <= 1e-15 * h || f == 0.0)
                break;
        }
        mean(&from, d, &uy, &ua);
        from.energy = 0.5 * uy * uy + 0.5 * ua * ua / inertia + 0.5 * g * (from.y + y);
        from.y = y, from.a = a, from.n = n;
        from.py = uy - 0.5 * d * g;
        from.pa = ua;
        from.kicked = 1;
        left -= d;
    }
    mean(&from, left, &uy, &ua);
    state[1] = y, state[2] = a, state[4] = uy - 0.5 * left * g, state[5] = ua;
}

void ellipse_bounce(double *state, double h, long steps)
{
    const double kick = 0.5 * h * gravity;
    for (long i = 0; i < steps; i++) {
        double uy = state[4] - kick, y = state[1] + h * uy, a = state[2] + h * state[5] / inertia;
        double s = sin(a), c = cos(a);
        state[0] += h * state[3];
        if (y >= sqrt(long2 * s * s + short2 * c * c)) {
            state[1] = y, state[2] = a, state[4] = uy - kick;
        } else {
            struct departure from = {.y = state[1], .a = state[2], .py = state[4], .pa = state[5]};
            ellipse_impacts(from, h, state);
        }
    }
}
