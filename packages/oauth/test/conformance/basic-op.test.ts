import { basicFlows } from './basic-flows.ts'
import { basicRefusals } from './basic-refusals.ts'
import { basicSignIns } from './basic-sign-ins.ts'
import { describePlan } from './conformance-module.ts'

describePlan('oidcc-basic-certification-test-plan', [...basicFlows, ...basicSignIns, ...basicRefusals])
