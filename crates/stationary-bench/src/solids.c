/* Explicit dynamics of neo-Hookean tetrahedra as a careful person writes it by hand for one core: gather, kernel, scatter,
   kick, drift, W elements at a time in vectors of W numbers. The reference of the speed bars for solids.

   Built once for each instruction set; NAME gives the functions its suffix, and the bench chooses at run time. Products and
   sums are fused where there are instructions for it, as compilers do unless they are told not to.

   With d1, d2, d3 the edges from the first corner, D those at rest, V the volume, J = det d / det D and the energy
   lambda/2 (ln J)^2 - mu ln J + mu/2 (tr(F'F) - 3) per unit volume, the gradient on corner c is
       H_c = sum_b A_cb d_b + (lambda ln J - mu) / (6 J) (cofactors of d)_c,     A = mu V inverse(D D'),
   which needs neither F nor the stress: seven numbers an element, and half the operations. */
#include <stdlib.h>
#include <string.h>

typedef double vec __attribute__((vector_size(8 * W)));
typedef long long mask __attribute__((vector_size(8 * W)));
typedef unsigned long long bits __attribute__((vector_size(8 * W)));
typedef double row __attribute__((vector_size(32), aligned(32)));

#define INLINE static inline __attribute__((always_inline))
#define SHUFFLE __builtin_shufflevector
#define STORED 7 /* A11 A22 A33 A12 A13 A23 and 1 / det D */
#define GHOSTS 10 /* nodes of an element at rest, which fills up the last group */

struct solid {
    long nodes, groups, corners;
    double *x, *v, *f, *inverse_mass; /* four numbers a node, the last of no meaning */
    double *stored;                   /* by groups of W elements */
    int *index;                       /* by groups: node, then element */
    double lambda, mu;
};

INLINE vec splat(double x)
{
    return x - (vec){0};
}

INLINE int all(mask m)
{
    long long s = -1;
    for (int i = 0; i < W; i++)
        s &= m[i];
    return s != 0;
}

/* W nodes of four numbers to three vectors of W. */
INLINE void gather(const double *x, const int *at, vec out[3])
{
#define ROW(e) (*(const row *)(x + 4 * (long)at[e]))
#if W == 8
#define JOIN(a, b) SHUFFLE(ROW(a), ROW(b), 0, 1, 2, 3, 4, 5, 6, 7)
    vec a = JOIN(0, 2), b = JOIN(1, 3), c = JOIN(4, 6), d = JOIN(5, 7);
    vec xz0 = SHUFFLE(a, b, 0, 8, 2, 10, 4, 12, 6, 14), xz1 = SHUFFLE(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
    vec y0 = SHUFFLE(a, b, 1, 9, 3, 11, 5, 13, 7, 15), y1 = SHUFFLE(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
    out[0] = SHUFFLE(xz0, xz1, 0, 1, 4, 5, 8, 9, 12, 13);
    out[1] = SHUFFLE(y0, y1, 0, 1, 4, 5, 8, 9, 12, 13);
    out[2] = SHUFFLE(xz0, xz1, 2, 3, 6, 7, 10, 11, 14, 15);
#elif W == 4
    row a = ROW(0), b = ROW(1), c = ROW(2), d = ROW(3);
    vec xz0 = SHUFFLE(a, b, 0, 4, 2, 6), xz1 = SHUFFLE(c, d, 0, 4, 2, 6);
    vec y0 = SHUFFLE(a, b, 1, 5, 3, 7), y1 = SHUFFLE(c, d, 1, 5, 3, 7);
    out[0] = SHUFFLE(xz0, xz1, 0, 1, 4, 5);
    out[1] = SHUFFLE(y0, y1, 0, 1, 4, 5);
    out[2] = SHUFFLE(xz0, xz1, 2, 3, 6, 7);
#else
    row a = ROW(0), b = ROW(1);
    out[0] = (vec){a[0], b[0]}, out[1] = (vec){a[1], b[1]}, out[2] = (vec){a[2], b[2]};
#endif
}

/* Three vectors of W added to W nodes, one after the other. */
INLINE void scatter(double *f, const int *at, const vec in[3])
{
#define PUT(e, r) (*(row *)(f + 4 * (long)at[e]) += r)
#if W == 8
#define LOW(r) SHUFFLE(r, r, 0, 1, 2, 3)
#define HIGH(r) SHUFFLE(r, r, 4, 5, 6, 7)
    vec lo = SHUFFLE(in[0], in[1], 0, 8, 2, 10, 4, 12, 6, 14), hi = SHUFFLE(in[0], in[1], 1, 9, 3, 11, 5, 13, 7, 15);
    vec r02 = SHUFFLE(lo, in[2], 0, 1, 8, 8, 2, 3, 10, 10), r13 = SHUFFLE(hi, in[2], 0, 1, 9, 9, 2, 3, 11, 11);
    vec r46 = SHUFFLE(lo, in[2], 4, 5, 12, 12, 6, 7, 14, 14), r57 = SHUFFLE(hi, in[2], 4, 5, 13, 13, 6, 7, 15, 15);
    PUT(0, LOW(r02)), PUT(1, LOW(r13)), PUT(2, HIGH(r02)), PUT(3, HIGH(r13));
    PUT(4, LOW(r46)), PUT(5, LOW(r57)), PUT(6, HIGH(r46)), PUT(7, HIGH(r57));
#elif W == 4
    vec lo = SHUFFLE(in[0], in[1], 0, 4, 2, 6), hi = SHUFFLE(in[0], in[1], 1, 5, 3, 7);
    PUT(0, SHUFFLE(lo, in[2], 0, 1, 4, 4)), PUT(1, SHUFFLE(hi, in[2], 0, 1, 5, 5));
    PUT(2, SHUFFLE(lo, in[2], 2, 3, 6, 6)), PUT(3, SHUFFLE(hi, in[2], 2, 3, 7, 7));
#else
    for (int e = 0; e < W; e++)
        for (int i = 0; i < 3; i++)
            f[4 * (long)at[e] + i] += in[i][e];
#endif
}

/* ln j and 1/j with one division: ln(1 + f) = f - s (f - R(s^2)), s = f / (2 + f), R a fit of seven terms to rounding. Powers
   of two are taken out first, if there are any. */
INLINE void logarithm(vec j, vec *log, vec *reciprocal)
{
    vec m = j, k = splat(0.0);
    if (!__builtin_expect(all((j > splat(0.7072)) & (j < splat(1.4141))), 1)) {
        mask b = (mask)j + (0x3ff0000000000000ll - 0x3fe6a09e667f3bcdll);
        mask e = (mask)((bits)b >> 52);
        m = (vec)((b & 0x000fffffffffffffll) + 0x3fe6a09e667f3bcdll);
        k = (vec)(e | 0x4330000000000000ll) - splat(0x1p52 + 1023.0);
    }
    vec f = m - 1.0, t = m + 1.0, r = 1.0 / (j * t), s = f * (r * j), z = s * s, y = z * z;
    vec high = 0.15313977038358548 + z * 0.1479672738821897;
    vec middle = 0.22222198524688463 + z * 0.18183567027444286;
    vec low = 0.3999999999941289 + z * 0.2857142874282424;
    vec p = z * (0.6666666666666735 + z * (low + y * (middle + y * high)));
    *log = k * 0x1.62e42fefa3800p-1 + (k * 0x1.ef35793c76730p-45 + (f - s * (f - p)));
    *reciprocal = r * t;
}

/* H_1, H_2, H_3 from the edges. */
INLINE void kernel(const vec *a, const vec d[3][3], double lambda, double mu, vec h[3][3])
{
    vec c[3][3], log, inverse;
    for (int n = 0; n < 3; n++) {
        const vec *p = d[(n + 1) % 3], *q = d[(n + 2) % 3];
        for (int i = 0; i < 3; i++)
            c[n][i] = p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
    }
    logarithm((d[0][0] * c[0][0] + d[0][1] * c[0][1] + d[0][2] * c[0][2]) * a[6], &log, &inverse);
    vec s = (lambda * log - mu) * inverse;
    for (int i = 0; i < 3; i++) {
        h[0][i] = s * c[0][i] + a[0] * d[0][i] + a[3] * d[1][i] + a[4] * d[2][i];
        h[1][i] = s * c[1][i] + a[3] * d[0][i] + a[1] * d[1][i] + a[5] * d[2][i];
        h[2][i] = s * c[2][i] + a[4] * d[0][i] + a[5] * d[1][i] + a[2] * d[2][i];
    }
}

static void forces4(struct solid *s)
{
    double lambda = s->lambda / 6.0, mu = s->mu / 6.0;
    for (long g = 0; g < s->groups; g++) {
        const vec *a = (const vec *)(s->stored + g * STORED * W);
        const int *at = s->index + g * 4 * W;
        vec x[4][3], d[3][3], h[4][3];
        for (int c = 0; c < 4; c++)
            gather(s->x, at + c * W, x[c]);
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 3; i++)
                d[c][i] = x[c + 1][i] - x[0][i];
        kernel(a, d, lambda, mu, h + 1);
        for (int i = 0; i < 3; i++)
            h[0][i] = -(h[1][i] + h[2][i] + h[3][i]);
        for (int c = 0; c < 4; c++)
            scatter(s->f, at + c * W, h[c]);
    }
}

/* Ten nodes, straight sides, four points: corners, then the middles of 01 12 20 03 13 23. At the point near corner q
   dx/dL_c = (4 far - 1) X_cc + 4 far sum_{b != c} X_cb + 4 (near - far) X_cq. */
static const int middle[4][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}};
static const double far = 0.1381966011250105, near = 0.5854101966249685;

static void forces10(struct solid *s)
{
    double lambda = s->lambda / 24.0, mu = s->mu / 24.0, beta = 4.0 * far, kappa = 4.0 * (near - far);
    for (long g = 0; g < s->groups; g++) {
        const vec *a = (const vec *)(s->stored + g * STORED * W);
        const int *at = s->index + g * 10 * W;
        vec x[10][3], base[3][3], sum[4][3], t[4][4][3], out[10][3];
        for (int n = 0; n < 10; n++)
            gather(s->x, at + n * W, x[n]);
        for (int i = 0; i < 3; i++) {
            vec b[4];
            for (int c = 0; c < 4; c++) {
                const int *m = middle[c];
                b[c] = beta * ((x[m[0]][i] + x[m[1]][i]) + (x[m[2]][i] + x[m[3]][i])) - x[c][i];
            }
            for (int c = 0; c < 3; c++)
                base[c][i] = b[c + 1] - b[0];
        }
        for (int q = 0; q < 4; q++) {
            vec d[3][3];
            for (int c = 0; c < 3; c++)
                for (int i = 0; i < 3; i++)
                    d[c][i] = base[c][i] + kappa * (x[middle[c + 1][q]][i] - x[middle[0][q]][i]);
            kernel(a, d, lambda, mu, t[q] + 1);
            for (int i = 0; i < 3; i++)
                t[q][0][i] = -(t[q][1][i] + t[q][2][i] + t[q][3][i]);
        }
        for (int c = 0; c < 4; c++)
            for (int i = 0; i < 3; i++)
                sum[c][i] = (t[0][c][i] + t[1][c][i]) + (t[2][c][i] + t[3][c][i]);
        for (int c = 0; c < 4; c++)
            for (int i = 0; i < 3; i++) {
                out[c][i] = (beta - 1.0) * sum[c][i] + kappa * t[c][c][i];
                for (int b = 0; b < c; b++)
                    out[middle[c][b]][i] = beta * (sum[c][i] + sum[b][i]) + kappa * (t[c][b][i] + t[b][c][i]);
            }
        for (int n = 0; n < 10; n++)
            scatter(s->f, at + n * W, out[n]);
    }
}

static void forces(struct solid *s)
{
    memset(s->f, 0, 32 * (s->nodes + GHOSTS));
    if (s->corners == 4)
        forces4(s);
    else
        forces10(s);
}

/* Steps of length h: kick, drift, kick; neighbouring half kicks are one. Forces are those of the positions before and after. */
void NAME(solid_run)(struct solid *s, double h, long steps)
{
    long n = 4 * s->nodes;
    double *restrict x = s->x, *restrict v = s->v, *restrict f = s->f, *restrict w = s->inverse_mass;
    for (long k = 0; k < steps; k++) {
        double kick = k == 0 ? 0.5 * h : h;
        for (long i = 0; i < n; i++) {
            v[i] -= kick * w[i] * f[i];
            x[i] += h * v[i];
        }
        forces(s);
    }
    for (long i = 0; i < n; i++)
        v[i] -= 0.5 * h * w[i] * f[i];
}

static void *room(size_t bytes)
{
    size_t whole = (bytes + 63) / 64 * 64;
    void *p = aligned_alloc(64, whole);
    if (!p)
        abort();
    return memset(p, 0, whole);
}

static void cofactors(double d[3][3], double c[3][3])
{
    for (int n = 0; n < 3; n++) {
        const double *p = d[(n + 1) % 3], *q = d[(n + 2) % 3];
        for (int i = 0; i < 3; i++)
            c[n][i] = p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
    }
}

/* Tetrahedra of 4 or 10 nodes at rest at the points, three numbers a node; positions are set by the caller afterwards. */
struct solid *NAME(solid_new)(const double *points, const double *mass, long nodes, const unsigned *list, long elements,
                              long corners, const double *lame)
{
    struct solid *s = room(sizeof *s);
    long groups = (elements + W - 1) / W, size = 32 * (nodes + GHOSTS);
    *s = (struct solid){.nodes = nodes, .groups = groups, .corners = corners, .lambda = lame[0], .mu = lame[1]};
    s->x = room(size), s->v = room(size), s->f = room(size), s->inverse_mass = room(size);
    s->stored = room(8 * STORED * W * groups), s->index = room(4 * corners * W * groups);
    for (long a = 0; a < nodes; a++)
        for (int i = 0; i < 3; i++)
            s->x[4 * a + i] = points[3 * a + i], s->inverse_mass[4 * a + i] = 1.0 / mass[a];
    double *ghost = s->x + 4 * nodes;
    for (int c = 0; c < 3; c++)
        ghost[4 * (c + 1) + c] = 1.0;
    for (int c = 0; c < 4; c++)
        for (int b = 0; b < c; b++)
            for (int i = 0; i < 3; i++)
                ghost[4 * middle[c][b] + i] = 0.5 * (ghost[4 * c + i] + ghost[4 * b + i]);
    for (long k = 0; k < W * groups; k++) {
        int *at = s->index + k / W * corners * W + k % W;
        double d[3][3], c[3][3], *to = s->stored + k / W * STORED * W + k % W;
        for (long n = 0; n < corners; n++)
            at[n * W] = k < elements ? (long)list[k * corners + n] : nodes + n;
        for (int n = 0; n < 3; n++)
            for (int i = 0; i < 3; i++)
                d[n][i] = s->x[4 * (long)at[(n + 1) * W] + i] - s->x[4 * (long)at[0] + i];
        cofactors(d, c);
        double det = d[0][0] * c[0][0] + d[0][1] * c[0][1] + d[0][2] * c[0][2];
        double scale = s->mu / (6.0 * det) / (corners == 4 ? 1.0 : 4.0);
        static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
        for (int p = 0; p < 6; p++) {
            double *a = c[pairs[p][0]], *b = c[pairs[p][1]];
            to[p * W] = scale * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
        }
        to[6 * W] = 1.0 / det;
    }
    return s;
}

/* Starts from rest at other positions, three numbers a node. */
void NAME(solid_start)(struct solid *s, const double *x)
{
    for (long a = 0; a < s->nodes; a++)
        memcpy(s->x + 4 * a, x + 3 * a, 24);
    forces(s);
}

/* Four numbers a node. */
const double *NAME(solid_positions)(const struct solid *s)
{
    return s->x;
}

void NAME(solid_free)(struct solid *s)
{
    free(s->x), free(s->v), free(s->f), free(s->inverse_mass), free(s->stored), free(s->index), free(s);
}
