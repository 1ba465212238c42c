import type { ListedFactor } from '@latchkey/accounts/internal'
import { AccessError } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import type { EnrolledPasskey } from '@latchkey/store'
import { authenticatedRule } from '../account-session/authenticated-rule.ts'
import type { CredentialDelivery } from '../account-session/deliver-sign-in.ts'
import { type Resolve, rejectCredentials, toSignInPayload } from './account-payloads.ts'
import type { OfferedFactors } from './factor-type-defs.ts'
import type { ServerContext } from './server-context.ts'

type Context = ServerContext<AnyPolicy>
type Input<Fields> = { readonly input: Fields }
type Code = Input<{ readonly code: string }>

/** What both ways to finish a second step ask for. A variable that is `null` counts as omitted. */
interface StepFields {
  readonly delivery: CredentialDelivery | null
  readonly trustDevice?: boolean | null
}

interface CodeFields extends StepFields {
  readonly challenge: string
  readonly code: string
  readonly deviceToken?: string | null
}

interface PasskeyFields extends StepFields {
  readonly response: string
  readonly challenge?: string | null
}

function readStep({ delivery, trustDevice }: StepFields) {
  return { delivery: delivery ?? 'SESSION', trustDevice: trustDevice ?? false } as const
}

/** The resolvers of second factors: each calls one use case and returns its answer in GraphQL. */
export function factorResolvers({
  totp,
  passkeys: keys,
}: OfferedFactors): Readonly<Record<'Query' | 'Mutation', Readonly<Record<string, Resolve>>>> {
  if (!totp && !keys) return { Query: {}, Mutation: {} }
  return {
    Query: { factors, ...(keys && { passkeys }) },
    Mutation: {
      verifySecondFactor,
      regenerateRecoveryCodes,
      ...(totp && { startTotpEnrollment, confirmTotpEnrollment, disableTotp }),
      ...(keys && {
        startPasskeyRegistration,
        finishPasskeyRegistration,
        startPasskeySignIn,
        finishPasskeySignIn,
        renamePasskey,
        removePasskey,
      }),
    },
  }
}

async function factors(_source: unknown, _args: unknown, { accounts, authorize }: Context): Promise<readonly object[]> {
  return (await accounts.listFactors(authorize(authenticatedRule).subject)).map(toFactor)
}

function toFactor({ kind, category, ...times }: ListedFactor): object {
  return { kind, category, ...toTimes(times) }
}

async function passkeys(
  _source: unknown,
  _args: unknown,
  { accounts, authorize }: Context,
): Promise<readonly object[]> {
  return (await accounts.listPasskeys(authorize(authenticatedRule).subject)).map((passkey) => toPasskey(passkey, null))
}

function toPasskey({ id, name, backedUp, ...times }: EnrolledPasskey, recoveryCodes: readonly string[] | null): object {
  return { id, name, backedUp, recoveryCodes, ...toTimes(times) }
}

function toTimes({ createdAt, lastUsedAt }: { createdAt: number; lastUsedAt: number | null }): object {
  return {
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  }
}

async function verifySecondFactor(
  _source: unknown,
  { input }: Input<CodeFields>,
  { factorSession }: Context,
): Promise<object> {
  const { challenge, code, deviceToken = null } = input
  const result = await factorSession.verifySecondFactor({ challenge, code, deviceToken, ...readStep(input) })
  return result.ok ? toSignInPayload(result) : rejectCredentials()
}

async function regenerateRecoveryCodes(
  _source: unknown,
  { input }: Input<{ readonly code?: string | null }>,
  { factorSession }: Context,
): Promise<object> {
  const result = await factorSession.regenerateRecoveryCodes(input.code ?? null)
  return result.ok ? { codes: result.codes ?? [] } : rejectCredentials()
}

async function startTotpEnrollment(_source: unknown, _args: unknown, { factorSession }: Context): Promise<object> {
  const result = await factorSession.startTotpEnrollment()
  return result.ok ? result : rejectCredentials()
}

async function confirmTotpEnrollment(_source: unknown, { input }: Code, { factorSession }: Context): Promise<object> {
  const result = await factorSession.confirmTotpEnrollment(input.code)
  return result.ok ? { codes: result.codes ?? [] } : rejectCredentials()
}

async function disableTotp(_source: unknown, { input }: Code, { factorSession }: Context): Promise<true> {
  const { ok } = await factorSession.disableTotp(input.code)
  return ok || rejectCredentials()
}

async function startPasskeyRegistration(_source: unknown, _args: unknown, { factorSession }: Context): Promise<object> {
  const result = await factorSession.startPasskeyRegistration()
  return result.ok ? toCeremony(result) : rejectCredentials()
}

async function finishPasskeyRegistration(
  _source: unknown,
  { input }: Input<{ readonly name: string; readonly response: string }>,
  { factorSession }: Context,
): Promise<object> {
  const result = await factorSession.finishPasskeyRegistration(input)
  return result.ok ? toPasskey(result.passkey, result.codes) : rejectCredentials()
}

async function startPasskeySignIn(
  _source: unknown,
  { input }: { readonly input?: { readonly challenge?: string | null } | null },
  { factorSession }: Context,
): Promise<object> {
  const result = await factorSession.startPasskeySignIn(input?.challenge ?? null)
  return result.ok ? toCeremony(result) : rejectCredentials()
}

async function finishPasskeySignIn(
  _source: unknown,
  { input }: Input<PasskeyFields>,
  { factorSession }: Context,
): Promise<object> {
  const { response, challenge = null } = input
  const result = await factorSession.finishPasskeySignIn({ response, challenge, ...readStep(input) })
  return result.ok ? toSignInPayload(result) : rejectCredentials()
}

async function renamePasskey(
  _source: unknown,
  { input }: Input<{ readonly id: string; readonly name: string }>,
  { factorSession }: Context,
): Promise<object> {
  const passkey = await factorSession.renamePasskey(input)
  if (passkey === null) throw new AccessError('NOT_FOUND')
  return toPasskey(passkey, null)
}

async function removePasskey(
  _source: unknown,
  { id }: { readonly id: string },
  { factorSession }: Context,
): Promise<boolean> {
  const result = await factorSession.removePasskey(id)
  if (result === null) return false
  return result.ok || rejectCredentials()
}

function toCeremony({ options }: { readonly options: object }): object {
  return { options: JSON.stringify(options) }
}
