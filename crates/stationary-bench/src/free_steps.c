/* Asynchronous dynamics of neo-Hookean tetrahedra, every element with a step of its own, as a careful person writes it by hand for one
   core: one event after the other, all data of a node in one cache line and all data of an element in two, the calendar queue of Brown (1988)
   with about one event in a bucket and its lists through the elements, and the data of coming events fetched ahead. The reference of the
   speed bars for free steps.

   An event of element K at t = j dt_K moves its four nodes to t and then kicks them by dt_K. Before the first one all elements kick by half
   their step. The forces are those of solids.c: H_c = sum_b A_cb d_b + (lambda ln J - mu) / (6 J) (cofactors of d)_c.

   Built once for each instruction set; NAME gives the functions its suffix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define NOBODY (-1)
#define FETCH_ELEMENT 24 /* buckets ahead */
#define FETCH_NODES 12

struct node {
    double x[3], time, v[3], inverse_mass;
} __attribute__((aligned(64)));

struct element {
    double a[6], scale; /* A11 A22 A33 A12 A13 A23 and 1 / det D */
    double time, step;  /* of the next event */
    long count;         /* of events */
    int next;           /* in its bucket */
    int node[4];
} __attribute__((aligned(128)));

struct body {
    long nodes, elements, buckets, bucket; /* the current one, counted from the first */
    double per_time;                       /* buckets */
    double lambda, mu;
    struct node *node;
    struct element *element;
    int *head;
};

/* ln j and 1/j with one division, as in solids.c. */
INLINE double logarithm(double j, double *reciprocal)
{
    double m = j, k = 0.0;
    if (__builtin_expect(!(j > 0.7072 && j < 1.4141), 0)) {
        int exponent;
        m = frexp(j, &exponent);
        if (m < 0.70710678118654752)
            m *= 2.0, exponent--;
        k = exponent;
    }
    double f = m - 1.0, t = m + 1.0, r = 1.0 / (j * t), s = f * (r * j), z = s * s, y = z * z;
    double high = 0.15313977038358548 + z * 0.1479672738821897;
    double middle = 0.22222198524688463 + z * 0.18183567027444286;
    double low = 0.3999999999941289 + z * 0.2857142874282424;
    double p = z * (0.6666666666666735 + z * (low + y * (middle + y * high)));
    *reciprocal = r * t;
    return k * 0x1.62e42fefa3800p-1 + (k * 0x1.ef35793c76730p-45 + (f - s * (f - p)));
}

/* The gradients on the four corners at x. */
INLINE void gradient(const struct body *s, const struct element *e, const double x[4][4], double g[4][4])
{
    double d[3][3], c[3][3], inverse;
    for (int n = 0; n < 3; n++)
        for (int i = 0; i < 3; i++)
            d[n][i] = x[n + 1][i] - x[0][i];
    for (int n = 0; n < 3; n++) {
        const double *p = d[(n + 1) % 3], *q = d[(n + 2) % 3];
        for (int i = 0; i < 3; i++)
            c[n][i] = p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
    }
    double log = logarithm((d[0][0] * c[0][0] + d[0][1] * c[0][1] + d[0][2] * c[0][2]) * e->scale, &inverse);
    double pull = (s->lambda * log - s->mu) * inverse;
    const double *a = e->a;
    for (int i = 0; i < 3; i++) {
        g[1][i] = pull * c[0][i] + a[0] * d[0][i] + a[3] * d[1][i] + a[4] * d[2][i];
        g[2][i] = pull * c[1][i] + a[3] * d[0][i] + a[1] * d[1][i] + a[5] * d[2][i];
        g[3][i] = pull * c[2][i] + a[4] * d[0][i] + a[5] * d[1][i] + a[2] * d[2][i];
        g[0][i] = -(g[1][i] + g[2][i] + g[3][i]);
    }
}

/* Moves the nodes of an element to a time and kicks them. */
INLINE void fire(struct body *s, struct element *e, double time, double weight)
{
    double x[4][4], g[4][4];
    for (int c = 0; c < 4; c++) {
        struct node *a = s->node + e->node[c];
        double ahead = time - a->time;
        for (int i = 0; i < 3; i++)
            a->x[i] = x[c][i] = a->x[i] + ahead * a->v[i];
        a->time = time;
    }
    gradient(s, e, x, g);
    for (int c = 0; c < 4; c++) {
        struct node *a = s->node + e->node[c];
        double kick = weight * a->inverse_mass;
        for (int i = 0; i < 3; i++)
            a->v[i] -= kick * g[c][i];
    }
}

INLINE void add(struct body *s, int k)
{
    struct element *e = s->element + k;
    int *head = s->head + ((long)(e->time * s->per_time) & (s->buckets - 1));
    e->next = *head;
    *head = k;
}

/* Executes all events up to a time. */
void NAME(free_run)(struct body *s, double until)
{
    long mask = s->buckets - 1;
    for (;; s->bucket++) {
        int ahead = s->head[(s->bucket + FETCH_ELEMENT) & mask];
        if (ahead != NOBODY) {
            __builtin_prefetch(s->element + ahead, 1);
            __builtin_prefetch((char *)(s->element + ahead) + 64, 1);
        }
        ahead = s->head[(s->bucket + FETCH_NODES) & mask];
        if (ahead != NOBODY)
            for (int c = 0; c < 4; c++)
                __builtin_prefetch(s->node + s->element[ahead].node[c], 1);
        int *head = s->head + (s->bucket & mask);
        for (;;) {
            /* The first of this bucket; others of its list belong to a later round. */
            int *first = NULL;
            double time = INFINITY;
            for (int *at = head; *at != NOBODY; at = &s->element[*at].next) {
                const struct element *e = s->element + *at;
                if ((long)(e->time * s->per_time) == s->bucket &&
                    (e->time < time || (e->time == time && *at < *first)))
                    first = at, time = e->time;
            }
            if (!first)
                break;
            if (!(time <= until))
                return;
            int k = *first;
            struct element *e = s->element + k;
            *first = e->next;
            fire(s, e, time, e->step);
            e->count++;
            e->time = (double)(e->count + 1) * e->step;
            add(s, k);
        }
        if ((double)s->bucket > until * s->per_time + 1.0)
            return;
    }
}

static void *room(size_t bytes)
{
    void *p = aligned_alloc(128, (bytes + 127) / 128 * 128);
    if (!p)
        abort();
    return memset(p, 0, bytes);
}

/* Tetrahedra at rest at the points, three numbers a node, with velocities, masses of the nodes and steps of the elements. */
struct body *NAME(free_new)(const double *points, const double *velocities, const double *mass, long nodes, const unsigned *list,
                            const double *steps, long elements, const double *lame)
{
    struct body *s = room(sizeof *s);
    double rate = 0.0;
    *s = (struct body){.nodes = nodes, .elements = elements, .lambda = lame[0] / 6.0, .mu = lame[1] / 6.0};
    s->node = room(sizeof *s->node * nodes), s->element = room(sizeof *s->element * elements);
    for (long a = 0; a < nodes; a++) {
        memcpy(s->node[a].x, points + 3 * a, 24);
        memcpy(s->node[a].v, velocities + 3 * a, 24);
        s->node[a].inverse_mass = 1.0 / mass[a];
    }
    for (long k = 0; k < elements; k++)
        rate += 1.0 / steps[k];
    /* A round of the buckets is four mean steps or more. */
    for (s->buckets = 1; s->buckets < 4 * elements;)
        s->buckets *= 2;
    s->per_time = rate;
    s->head = room(sizeof *s->head * s->buckets);
    for (long b = 0; b < s->buckets; b++)
        s->head[b] = NOBODY;
    for (long k = 0; k < elements; k++) {
        struct element *e = s->element + k;
        double d[3][3], c[3][3];
        for (int n = 0; n < 4; n++)
            e->node[n] = list[4 * k + n];
        for (int n = 0; n < 3; n++)
            for (int i = 0; i < 3; i++)
                d[n][i] = s->node[e->node[n + 1]].x[i] - s->node[e->node[0]].x[i];
        for (int n = 0; n < 3; n++)
            for (int i = 0; i < 3; i++) {
                const double *p = d[(n + 1) % 3], *q = d[(n + 2) % 3];
                c[n][i] = p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
            }
        double det = d[0][0] * c[0][0] + d[0][1] * c[0][1] + d[0][2] * c[0][2];
        static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
        for (int p = 0; p < 6; p++) {
            double *a = c[pairs[p][0]], *b = c[pairs[p][1]];
            e->a[p] = lame[1] / (6.0 * det) * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
        }
        e->scale = 1.0 / det;
        e->step = e->time = steps[k];
    }
    for (long k = 0; k < elements; k++)
        fire(s, s->element + k, 0.0, 0.5 * steps[k]);
    for (long k = 0; k < elements; k++)
        add(s, k);
    return s;
}

/* Three numbers a node, each at the time of its last event. */
void NAME(free_positions)(const struct body *s, double *to)
{
    for (long a = 0; a < s->nodes; a++)
        memcpy(to + 3 * a, s->node[a].x, 24);
}

long NAME(free_updates)(const struct body *s)
{
    long sum = 0;
    for (long k = 0; k < s->elements; k++)
        sum += s->element[k].count;
    return sum;
}

void NAME(free_free)(struct body *s)
{
    free(s->node), free(s->element), free(s->head), free(s);
}
