import { describePlan } from './conformance-module.ts'
import { logoutModules } from './logout-modules.ts'

describePlan('oidcc-rp-initiated-logout-certification-test-plan', logoutModules)
