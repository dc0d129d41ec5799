# SPDX-License-Identifier: Apache-2.0
"""Molecular dynamics of OpenMM on the device: forces beside those of OpenMM's own reference, and chains
of atoms, of which one keeps the lengths of its bonds. openmm.sh calls it."""
import sys

import numpy
import openmm
from openmm import unit

ATOMS, CHAIN, BOND = 400, 10, 0.15  # nm
RIGID = 1  # chain whose bonds keep their lengths; those of others are springs
failures = []


def check(what, error, tolerance):
    same = error <= tolerance
    print(f"{what}: {error:.2g}, {'right' if same else 'WRONG'}", flush=True)
    if not same:
        failures.append(what)


def make_system():
    """Charged atoms in a box, in chains."""
    random = numpy.random.default_rng(1)
    system = openmm.System()
    force = openmm.NonbondedForce()
    force.setNonbondedMethod(openmm.NonbondedForce.PME)
    force.setCutoffDistance(0.9)
    springs = openmm.HarmonicBondForce()
    edge = 4.0
    system.setDefaultPeriodicBoxVectors(*(edge * numpy.eye(3)).tolist())
    places = []
    for chain in range(ATOMS // CHAIN):
        corner = numpy.array([chain % 4, chain // 4 % 4, chain // 16]) + 0.3
        for i in range(CHAIN):
            atom = system.addParticle(12 + i % 2)
            force.addParticle(0.2 if i % 2 else -0.2, 0.1, 0.2)
            places.append(corner + [0, i * BOND * 0.6, i % 2 * BOND * 0.8])
            if i:
                if chain < RIGID:
                    system.addConstraint(atom - 1, atom, BOND)
                else:
                    springs.addBond(atom - 1, atom, BOND, 2e5)
                force.addException(atom - 1, atom, 0, 0.1, 0)
    system.addForce(force)
    system.addForce(springs)
    return system, numpy.array(places) + random.normal(0, 1e-4, (ATOMS, 3))


def forces(context):
    state = context.getState(getForces=True)
    return state.getForces(asNumpy=True).value_in_unit(unit.kilojoule_per_mole / unit.nanometer)


def run(precision):
    system, places = make_system()
    platform = openmm.Platform.getPlatformByName("OpenCL")
    integrator = openmm.LangevinMiddleIntegrator(300, 1, 0.002)
    integrator.setConstraintTolerance(1e-5)
    context = openmm.Context(system, integrator, platform, {"Precision": precision})
    if precision == "single":
        print("platform", platform.getPropertyValue(context, "OpenCLPlatformName"))
    reference = openmm.Context(system, openmm.VerletIntegrator(0.001),
                               openmm.Platform.getPlatformByName("Reference"))
    for each in context, reference:
        each.setPositions(places)
    context.applyConstraints(1e-6)
    reference.setPositions(context.getState(getPositions=True).getPositions())
    right = forces(reference)
    check(f"{precision}: forces", numpy.abs(forces(context) - right).max() / numpy.abs(right).max(),
          1e-3)
    context.setVelocitiesToTemperature(300, 1)
    longer = 0
    for _ in range(20):
        integrator.step(5)
        at = context.getState(getPositions=True).getPositions(asNumpy=True)
        at = at.value_in_unit(unit.nanometer).reshape(-1, CHAIN, 3)[:RIGID]
        lengths = numpy.linalg.norm(numpy.diff(at, axis=1), axis=2)
        longer = max(longer, numpy.abs(lengths / BOND - 1).max())
    check(f"{precision}: lengths of bonds", longer, 5e-5)


for each in "single", "mixed", "double":
    run(each)
sys.exit(1 if failures else 0)
