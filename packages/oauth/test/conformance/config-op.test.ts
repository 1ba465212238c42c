import { configModules } from './config-modules.ts'
import { describePlan } from './conformance-module.ts'

describePlan('oidcc-config-certification-test-plan', configModules)
