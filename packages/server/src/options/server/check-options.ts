import { allowNativeDelivery } from '@latchkey/accounts'
import { checkOptionNames } from '@latchkey/core/internal'
import type { AnyPolicy } from '@latchkey/rbac'
import { checkStores } from '@latchkey/store/internal'
import { checkIdentityCache } from '../../identity-cache/identity-cache.ts'
import { checkAudit } from '../audit/audited.ts'
import { checkMcp } from '../mcp/service-mcp.ts'
import { checkAuthorizationServer } from '../oauth/authorization-server.ts'
import { checkTelemetry } from '../observe/service-telemetry.ts'
import { serverStoreNames } from '../server-stores.ts'
import { checkGuessing } from '../sign-in/guessing.ts'
import { checkLifeOptions } from './account-life.ts'
import { checkApiKeys } from './api-keys.ts'
import { checkChangingRoles } from './changing-roles.ts'
import { checkSchemaOptions } from './check-schema.ts'
import type { FlatOptions } from './flat-options.ts'
import { checkImpersonation } from './impersonation.ts'
import { checkRememberDevices, checkSecondFactors } from './second-factors.ts'

/** The required parts, and a method by which each is recognized. */
const parts: Readonly<Record<string, readonly [part: (options: FlatOptions) => unknown, method: string]>> = {
  'mails.mailer': [({ mailer }) => mailer, 'send'],
  secrets: [({ secrets }) => secrets, 'load'],
  'stores.records': [({ stores }) => stores?.records, 'insert'],
  'stores.accounts': [({ stores }) => stores?.accounts, 'getByEmail'],
  'stores.documents': [({ stores }) => stores?.documents, 'insert'],
  policy: [({ policy }) => policy, 'withOwnership'],
}

/** @throws TypeError that names the option that is missing, unknown, or cannot be used. */
export function checkOptions(options: FlatOptions): void {
  for (const [name, [part, method]] of Object.entries(parts)) {
    const given = part(options) as Readonly<Record<string, unknown>> | null | undefined
    if (typeof given?.[method] !== 'function') throw new TypeError(`"${name}" is required and must have "${method}"`)
  }
  const { stores, policy, signUp } = options
  checkOptionNames('"stores"', stores, serverStoreNames)
  checkStores(stores, 'stores.')
  if (stores.records.capabilities.consistency !== 'strong') {
    throw new TypeError('"stores.records" must be strongly consistent: links and refresh tokens work once')
  }
  if (policy.roles.length === 0) throw new TypeError('"policy" must have a role')
  if (options.roles === undefined) checkRoleNames(policy.roles)
  else checkChangingRoles(options)
  checkIdentityCache(options.identityCache, stores)
  checkSecondFactors(options)
  checkAuthorizationServer(options)
  checkMcp(options)
  checkGuessing(options)
  checkAudit(options)
  checkLifeOptions(options)
  checkImpersonation(options)
  checkApiKeys(options)
  checkRememberDevices(options)
  checkTelemetry(options.telemetry)
  checkSchemaOptions(options)
  checkChoices(options)
  checkSignUp(signUp, policy)
}

function checkSignUp(signUp: FlatOptions['signUp'], policy: AnyPolicy): void {
  if (signUp === 'closed') return
  if (!policy.roles.includes(signUp?.role)) {
    throw new TypeError('"signUp" must be { role } with a role of the policy, or \'closed\'')
  }
  checkOptionNames('createServer', signUp, { role: true }, 'signUp')
}

/** These are used when the service opens; a wrong one is refused now. */
function checkChoices(options: FlatOptions): void {
  const { nativeDelivery, mailDelayMs = 0, passwords, passwordPolicy, context, check, onMeasurement } = options
  if (onMeasurement !== undefined && typeof onMeasurement !== 'function') {
    throw new TypeError('"observe.onMeasurement" must be a function')
  }
  if (check !== undefined && typeof check !== 'function') throw new TypeError('"observe.readiness" must be a function')
  if (context !== undefined && typeof context !== 'function') throw new TypeError('"context" must be a function')
  if (nativeDelivery !== undefined && nativeDelivery !== allowNativeDelivery) {
    throw new TypeError('"sessions.nativeDelivery" must be allowNativeDelivery or omitted')
  }
  if (typeof mailDelayMs !== 'number' || !(mailDelayMs >= 0 && mailDelayMs <= 60_000)) {
    throw new TypeError('"mails.maxDelayMs" must be a number of milliseconds from 0 to 60000')
  }
  if (passwords !== undefined && typeof passwords?.verify !== 'function') {
    throw new TypeError('"signIn.passwordHasher" must be a hasher of createPasswordHasher')
  }
  if (passwordPolicy !== undefined && typeof passwordPolicy?.check !== 'function') {
    throw new TypeError('"signIn.passwordPolicy" must be a policy of createPasswordPolicy')
  }
}

/** Roles are values of an enum of the schema. */
function checkRoleNames(roles: readonly string[]): void {
  for (const role of roles) {
    if (!/^(?!__|(?:true|false|null)$)[A-Za-z_]\w*$/.test(role)) {
      throw new TypeError(`"policy": the role "${role}" must be a name of GraphQL: letters, digits and _`)
    }
  }
}
