import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Message, unknownAttempt } from '@latchkey/accounts'
import { allowWeakHashes, createPasswordHasher } from '@latchkey/password'
import { expect, onTestFinished } from 'vitest'
import { createService, type MovedService } from '../src/service.ts'

// The weakest there are: what is asked here is who gets in, and not how long a hash takes.
const passwords = createPasswordHasher({ argon2id: { memoryKib: 8, iterations: 1 }, strength: allowWeakHashes })

/** The database of the old application, and the service that its users are moved to. */
export interface OldAndNew extends MovedService {
  readonly old: DatabaseSync
  /** The stored hash of an account of the new one. */
  hashOf(id: string): Promise<string | null | undefined>
  readonly outbox: readonly Message[]
  readonly events: readonly string[]
}

export async function openOldAndNew(): Promise<OldAndNew> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-moving-'))
  const old = new DatabaseSync(join(folder, 'old.db'))
  const outbox: Message[] = []
  const events: string[] = []
  const service = createService(join(folder, 'app.db'), {
    secrets: { load: async () => [{ id: 'a', bytes: new Uint8Array(32).fill(7) }] },
    mails: { mailer: { send: async (message) => void outbox.push(message) }, maxDelayMs: 0 },
    signIn: { passwordHasher: passwords },
    observe: { onEvent: ({ type }) => void events.push(type) },
  })
  onTestFinished(async () => {
    await service.server.close()
    old.close()
    rmSync(folder, { recursive: true })
  })
  const hashOf = async (id: string) => (await service.server.stores.accounts.get(id))?.passwordHash
  return { ...service, old, hashOf, outbox, events }
}

/** Asks the service as a page of its origin does, with a cookie that the browser has. */
export async function ask(
  { server }: MovedService,
  query: string,
  { variables = {}, cookie = '' }: { readonly variables?: object; readonly cookie?: string } = {},
): Promise<{ readonly status: number; readonly body: Answer; readonly cookies: readonly string[] }> {
  const headers = { 'content-type': 'application/json', origin: 'http://127.0.0.1:4000', ...(cookie && { cookie }) }
  const body = JSON.stringify({ query, variables })
  const response = await server.fetch(new Request('http://127.0.0.1:4000/graphql', { method: 'POST', headers, body }))
  const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  return { status: response.status, body: await response.json(), cookies }
}

/** As far as these tests look into it. */
interface Answer {
  readonly data?: {
    readonly hello?: string
    readonly signIn?: SignIn
    readonly verifySecondFactor?: SignIn
  } | null
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[]
}

interface SignIn {
  readonly status: string
  readonly account: { readonly id: string } | null
  readonly challenge: string | null
  readonly factors: readonly string[]
}

const signInMutation = /* GraphQL */ `mutation ($input: SignInInput!) {
  signIn(input: $input) { status account { id } challenge factors }
}`

/** A sign-in as a front end does it: what it answers, and the cookies that the browser has then. */
export async function signIn(service: MovedService, email: string, password: string) {
  const { body, cookies, ...rest } = await ask(service, signInMutation, { variables: { input: { email, password } } })
  return { ...rest, result: body.data?.signIn, code: body.errors?.[0]?.extensions.code, cookie: cookies.join('; ') }
}

export const secondFactor = /* GraphQL */ `mutation ($input: VerifySecondFactorInput!) {
  verifySecondFactor(input: $input) { status account { id } challenge factors }
}`

/** Requests a mail, and follows its link to a new password. */
export async function choosePassword(service: OldAndNew, email: string): Promise<string> {
  const accounts = await service.server.accounts()
  await accounts.requestPasswordReset({ email, attempt: unknownAttempt })
  await accounts.settled()
  const token = new URL(service.outbox[0]?.url ?? '').searchParams.get('token') ?? ''
  const newPassword = 'seven kettles hum along'
  expect(await accounts.resetPassword({ token, newPassword, attempt: unknownAttempt })).toMatchObject({ ok: true })
  return newPassword
}
