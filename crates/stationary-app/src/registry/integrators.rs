//! The integrators, with their mathematics.

use super::options::{
    BETA, BODY_ORDER, CONTACT_TIME, END_WEIGHT, GAMMA, GAUSS_STAGES, ITERATIONS, LOBATTO_STAGES, ORDER,
    POINTS, RESIDUAL, SAMPLE, STEP, STEP_OPTIONS, TOLERANCE,
};
use super::{
    AUTO, COLLISIONS, EULER_POINCARE, MOSER_VESELOV, NOT_VARIATIONAL, RegistryEntry, STATIC, VARIATIONAL,
};

pub(super) static INTEGRATORS: [RegistryEntry; 13] = [
    RegistryEntry {
        name: "midpoint",
        kind: VARIATIONAL,
        summary: "generalised midpoint rule, implicit; order 2 at alpha = 1/2, else 1",
        maths: "L_d = h L((1-alpha) q0 + alpha q1, (q1-q0)/h)                    [VTI04 (13)]\n\
                p0 = -D1 L_d, p1 = D2 L_d, solved by Newton with exact second derivatives.\n\
                alpha = 0 and 1 are the symplectic Euler methods, explicit for separable systems.",
        options: &[SAMPLE, STEP, TOLERANCE],
    },
    RegistryEntry {
        name: "trapezoidal",
        kind: VARIATIONAL,
        summary: "generalised trapezoidal rule, explicit for separable systems; order 2 at alpha = 1/2, else 1",
        maths: "L_d = h (1-alpha) L(q0, (q1-q0)/h) + h alpha L(q1, (q1-q0)/h)      [VTI04 (16)]\n\
                For L = v.M v/2 - V(t, q) one gradient a step and no solve, (18).\n\
                alpha only changes the momentum that belongs to a discrete path, (17).",
        options: &[END_WEIGHT, STEP, TOLERANCE],
    },
    RegistryEntry {
        name: "verlet",
        kind: VARIATIONAL,
        summary: "velocity Verlet and its symmetric compositions of order 4, 6 and 8; explicit",
        maths: "Order 2 is the trapezoidal rule at alpha = 1/2. Higher orders chain steps g_i h with sum g_i = 1 and\n\
                g_i = g_{m+1-i}: L_d(q0, q1) = ext sum_i L_trap(Q_{i-1}, Q_i, g_i h), so they stay variational.\n\
                Order 4: 5 sub-steps (Suzuki); 6: 9 (Kahan-Li); 8: 15 (Suzuki-Umeno). One gradient a sub-step.",
        options: &[ORDER, STEP, TOLERANCE],
    },
    RegistryEntry {
        name: "newmark",
        kind: "variational at gamma = 1/2",
        summary: "Newmark's family for separable systems; explicit at beta = 0, gamma = 1/2",
        maths: "q1 = q0 + h v0 + h^2/2 [(1-2 beta) a0 + 2 beta a1], v1 = v0 + h [(1-gamma) a0 + gamma a1]   [VTI04 (19)]\n\
                At gamma = 1/2, with x = q - beta h^2 a(q), it is the trapezoidal rule of the Moreau envelope\n\
                ext_q [V(q) + |x-q|_M^2 / (2 beta h^2)], and (x, M v) is the canonical pair in which it is symplectic.\n\
                gamma != 1/2 adds h (gamma-1/2) M (a1-a0) to the momentum and is not variational.",
        options: &[BETA, GAMMA, TOLERANCE],
    },
    RegistryEntry {
        name: "gauss",
        kind: VARIATIONAL,
        summary: "Galerkin method with Gauss quadrature, order 2 s with s stages; implicit",
        maths: "L_d = ext h sum_i w_i L(q(a_i h), q'(a_i h)) over polynomials q of degree s    [VTI04 (20)-(23)]\n\
                with the s Gauss nodes a_i: the collocation method of Gauss-Legendre. s = 1 is the midpoint rule.\n\
                All points of the step are found together by one Newton iteration.",
        options: &[GAUSS_STAGES, STEP, TOLERANCE],
    },
    RegistryEntry {
        name: "lobatto",
        kind: VARIATIONAL,
        summary: "Galerkin method with Lobatto quadrature, order 2 s - 2 with s points; implicit for s > 2",
        maths: "L_d as for gauss, with the s Lobatto nodes and polynomials of degree s - 1 through them\n\
                [VTI04 (20)-(23)]: the Lobatto IIIA-IIIB pair. s = 2 is the trapezoidal rule, explicit if separable.",
        options: &[LOBATTO_STAGES, POINTS, STEP, TOLERANCE],
    },
    RegistryEntry {
        name: "avi",
        kind: VARIATIONAL,
        summary: "asynchronous: every element of a solid keeps its own step; explicit, order 2",
        maths: "S_d = sum_a sum_i m_a/2 |x_a^(i+1) - x_a^i|^2 / (t_a^(i+1) - t_a^i) - sum_K sum_j dt_K V_K(x_K^j)   [VTI04 (45)]\n\
                At t = j dt_K element K takes its nodes to t on straight lines and kicks them, p_a -= dt_K dV_K/dx_a (48)-(50).\n\
                Momenta are kept to rounding whatever the steps. On a solid, `newmark` is the same with the smallest step for all.\n\
                courant: f h/c with the inscribed radius h [AVI03 (68)]; eigen: f 2/omega_max of the element with its part of the\n\
                nodal masses, all then grown together until sum_K (dt_K/2)^2 K_K <= f^2 M for the whole body. Free steps are what the\n\
                rule gives, and resonate near the limit; harmonic ones are rounded down to base * 2^k and differ by two at most between\n\
                neighbours, each element acting in the middle of its step, which keeps them from resonating. Where levels share nodes the\n\
                slower one acts with the Moreau envelope of its potential, V~(x) = min_y V(y) + sum_a m_a |y_a-x_a|^2/h^2 (h the fast step),\n\
                order 2; with impulses, and with free steps, the method is of order 1 there.",
        options: &STEP_OPTIONS,
    },
    RegistryEntry {
        name: AUTO,
        kind: VARIATIONAL,
        summary: "of a solid: `avi` or explicit `newmark`, whichever is predicted to take less time; the default",
        maths: "Predicted time = sum over updates of their cost: with local steps sum_K c_K / h_K, with one step sum_K c_K / h.\n\
                c_K counts the quadrature points, each by what it takes with its kind of element. Local steps are taken where they are at\n\
                least 1.05 times as fast in this run, preparation and certificate included; elements at the slow side of a level boundary\n\
                count 2.3 times, for their envelope. The bits are those of the method chosen; `check` and the summary say which it is, and why.\n\
                No clock is read.",
        options: &STEP_OPTIONS,
    },
    RegistryEntry {
        name: STATIC,
        kind: VARIATIONAL,
        summary: "of a solid: static equilibrium by Newton's method with line search; time is the load parameter",
        maths: "At every row dV/dx(t, x) = F(t, x) on the components that no support prescribes: no inertia, no velocities. V is the\n\
                incremental potential since the last load step, so that materials with memory follow variational updates.\n\
                A row is a load step; where Newton's method fails it is halved, and steps grow again when they succeed. The tangent\n\
                K = d2V/dx2 - dF/dx is factored by Cholesky's method, whose failure at an equilibrium is a limit or bifurcation point.\n\
                Materials that depend on rates see the time of the scenario.",
        options: &[RESIDUAL, ITERATIONS],
    },
    RegistryEntry {
        name: EULER_POINCARE,
        kind: VARIATIONAL,
        summary: "rigid bodies on SO(3) and SE(3), no angles; order 2, 4, 6 or 8; any step has a solution",
        maths: "F = R0' R1 turns by a about the unit vector e, g = tan(a/2) e (Cayley):\n\
                L_d = (2/h) g.J g + m |x1-x0|^2/(2h) - h/2 (V0 + V1)                       [SUR04 2]\n\
                (h/2) m0 = J g + g x J g + (g.J g) g, then m1 = F' m0: the discrete Euler-Poincare equation.\n\
                The angular momentum R m in space is the state: a free body keeps it to the last bit, and |m|^2 to rounding.",
        options: &[BODY_ORDER],
    },
    RegistryEntry {
        name: MOSER_VESELOV,
        kind: VARIATIONAL,
        summary: "rigid bodies, the integrable discretisation of the free top; order 2, 4, 6 or 8",
        maths: "As euler-poincare with g = sin(a/2) e: the kinetic part is tr((1-F) J_d)/h, J_d = tr(J)/2 - J, and\n\
                (h/2) m0 = sqrt(1-|g|^2) J g + g x J g, which has a solution up to about a quarter turn a step.\n\
                Of the free body it keeps the energy too, to rounding.",
        options: &[BODY_ORDER],
    },
    RegistryEntry {
        name: COLLISIONS,
        kind: VARIATIONAL,
        summary: "rigid bodies that collide: every body has its own legs, cut at its own impacts; exact between them",
        maths: "S_d = sum over bodies and legs of m |x1-x0|^2/(2h) + I (a1-a0)^2/(2h) - h (V0+V1)/2 - m |g|^2 h^3/24, V = -m g.x,\n\
                the exact action of a leg in uniform gravity: -D3 L_d is the energy. An impact of two bodies varies their time and\n\
                poses on the contact set: -D3 and the momenta along the set match          [FET03 (4.8)-(4.10)]\n\
                At corners, and where several features touch, the jump is in the cone of normals (5.17), by closest-point projection.\n\
                Restitution and Coulomb friction by Lagrange-d'Alembert (2.37)-(2.38). Slow impacts of a pair that follow sooner\n\
                than `contact_time` are elastic, and what friction can stop it turns around: rest is a time-symmetric hop.",
        options: &[CONTACT_TIME],
    },
    RegistryEntry {
        name: "rk4",
        kind: NOT_VARIATIONAL,
        summary: "classical Runge-Kutta, the contrast: keeps neither momenta nor the symplectic form",
        maths: "q' = v(q, p), p' = L_q(t, q, v) by the four-stage method of order 4. It has no discrete Lagrangian,\n\
                so there is no discrete energy, and the energy drifts.",
        options: &[],
    },
];
