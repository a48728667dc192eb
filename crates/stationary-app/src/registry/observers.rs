//! The observers, with their mathematics.

use super::RegistryEntry;
use super::options::ENERGY_OPTIONS;

pub(super) static OBSERVERS: [RegistryEntry; 14] = [
    RegistryEntry {
        name: "energy",
        kind: "always",
        summary: "energy p v - L(t, q, v) of the continuous system at each step",
        maths: "v solves p = L_v(t, q, v). The relative error is max |E - E_0| / |E_0| over every step; where the\n\
                initial energy vanishes, over the size of its terms. The drift rate is the slope of a line fitted to E/|E_0|.",
        options: &[],
    },
    RegistryEntry {
        name: "discrete_energy",
        kind: "always",
        summary: "discrete energy -D3 L_d of each step; null for rk4",
        maths: "-D3 L_d(q0, q1, h), the derivative of the discrete action in the step. It is close to the energy, not\n\
                equal to it, and is what an integrator with energy-chosen steps conserves. Its error is relative to the scale\n\
                of the energy.",
        options: &[],
    },
    RegistryEntry {
        name: "energy_steps",
        kind: "with step = \"energy\"",
        summary: "length of each step, and where no length keeps the discrete energy",
        maths: "p0 = -D1 L_d(q0, q1, h) and -D3 L_d(q0, q1, h) = E, that of the first step, solved together for q1 and h\n\
                [SEM99 (4.2), (4.6); VTI04 (84)-(85)]. With L_d - S = h^(r+1) M the lengths follow h^(r+1) M = const: there is\n\
                none where M changes its sign. Such steps are flagged, counted, listed and made as `turning` says.",
        options: &ENERGY_OPTIONS,
    },
    RegistryEntry {
        name: "momentum",
        kind: "with [symmetry]",
        summary: "Noether momentum p . xi(q) of each named symmetry",
        maths: "For an infinitesimal generator xi that leaves L_d unchanged, D2 L_d . xi is constant   [VTI04 (33)].\n\
                The drift is max |J - J_0| over every step. A generator that does not leave L unchanged is reported.\n\
                Symmetries affine in q (translations, rotations) carry over to every L_d exactly.",
        options: &[],
    },
    RegistryEntry {
        name: "symplectic",
        kind: "on request",
        summary: "residual of the discrete symplectic form",
        maths: "D1 D2 L_d [dq_k de_{k-1} - de_k dq_{k-1}] of two variations dq, de is the same at every step   [VTI04 (38)]:\n\
                the tangent F of the map from the start satisfies F' J F = J. Reported is max |F' J F - J| / max(1, |F|^2)\n\
                over all pairs of variations, with positions and momenta in units in which they are of one size; a new\n\
                window begins after 100 steps, or when |F| has grown by 10^4. Costs a few n^3 operations a step.",
        options: &[],
    },
    RegistryEntry {
        name: "constraint",
        kind: "with constraint",
        summary: "violation of each constraint and of its hidden one, and the multipliers",
        maths: "g(t, q) and g_q v + g_t at each step, largest absolute values. The multiplier is the mean over a step: the\n\
                constraints push with sum_a multiplier_a grad g_a   [VTI04 (25)].",
        options: &[],
    },
    RegistryEntry {
        name: "work",
        kind: "with force, or gaps that take energy",
        summary: "work of the forces, and whether it accounts for the change of the energy",
        maths: "h sum_i w_i F(t_i, q_i, v_i) . v_i of each step by the quadrature of the action   [VTI04 (27)], added up.\n\
                The balance error is max |E - E_0 - W| over the energy scale, less what impacts changed.",
        options: &[],
    },
    RegistryEntry {
        name: "impacts",
        kind: "with gap",
        summary: "impacts, their impulses and energies in impacts.csv, and the gaps as columns",
        maths: "A step is cut where a gap phi closes. With legs (q0, q~) and (q~, q1) of lengths a h and (1-a) h:\n\
                p0 = -D1 L_d(q0, q~, a h), phi(q~) = 0                                             [FET03 (4.8)]\n\
                D3 L_d(q0, q~, a h) = D3 L_d(q~, q1, (1-a) h), the discrete energy                 (4.9a)\n\
                D2 L_d(q0, q~, a h) + D1 L_d(q~, q1, (1-a) h) = -lambda grad phi, lambda > 0       (4.9b)\n\
                The energies before and after are -D3 L_d of the two legs; with restitution or friction they differ as the law asks.",
        options: &[],
    },
    RegistryEntry {
        name: "modified_energy",
        kind: "on request",
        summary: "energy with the first term of the modified energy that the method follows",
        maths: "A variational method follows the flow of H + h^2 H_2 + ... almost exactly   [VTI04 3.5]. With A = v.V_qq v and\n\
                B = V_q.M^-1 V_q: verlet (order 2) and its equals, on separable systems, H_2 = A/12 - B/24; midpoint and gauss with\n\
                one stage, on any system that does not depend on time, H_2 = -z'.H_zz z'/24, which is -(A + B)/24 if separable.\n\
                H varies by h^2 along the run, H + h^2 H_2 by h^4. `steadier_by` is the ratio of the two.",
        options: &[],
    },
    RegistryEntry {
        name: "loop_area",
        kind: "on request",
        summary: "Poincare's integral invariant: the area of a small loop of 32 neighbouring runs",
        maths: "The loop integral of p.dq (of theta for one-forms) over states around the initial one, carried along, is\n\
                kept by every symplectic map, for loops of any size. Costs 32 more runs. Where neighbours separate fast, 32\n\
                points no longer resolve the loop, and the reported change is that of the resolution.",
        options: &[],
    },
    RegistryEntry {
        name: "section",
        kind: "with [section]",
        summary: "Poincare section: formulas recorded where another crosses zero upward, in sections.csv",
        maths: "Crossings are found on the polynomial through ten steps around, which follows the flow that the method itself\n\
                follows; a shorter step of the method would not. Of several crossings within one step at most one is seen. A formula\n\
                that jumps from minus to plus crosses no zero: such places are counted, not recorded.",
        options: &[],
    },
    RegistryEntry {
        name: "local_energy",
        kind: "on request, or with [local_energy] or a claim on it",
        summary: "solids: the balance of energy of every element, which its steps do not keep",
        maths: "T- + V(x^j) + dt dV/dt = T+ + V(x^(j+1)) at each event of an element, with the kinetic energies of its nodes before\n\
                and after its kick [AVI03 (43), VTI04 (97)]; what is left over, relative to the element's energy. With it\n\
                elements are evaluated one by one, on one thread.",
        options: &[],
    },
    RegistryEntry {
        name: "probe",
        kind: "with [probe]",
        summary: "any formula of t, positions, velocities and momenta as a column",
        maths: "A line such as radius = \"sqrt(x^2 + y^2)\" under [probe].",
        options: &[],
    },
    RegistryEntry {
        name: "newton",
        kind: "always",
        summary: "Newton iterations of implicit methods, in the summary",
        maths: "The number of linear solves over the run; 0 for explicit methods.",
        options: &[],
    },
];
