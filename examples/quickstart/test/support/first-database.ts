import { readFileSync } from 'node:fs'
import { allowNativeDelivery } from '@latchkey/accounts'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server, type ServerStores } from '@latchkey/server'
import { createEnvSecrets } from '@latchkey/server/node'

/**
 * What the first version of the tables held after the first start of a publication and two sign-ins, in the SQL that
 * SQLite and PostgreSQL share, without the tables of the publication itself.
 */
export const firstDatabase: string = readFileSync(
  new URL('../../../../packages/sql/test/fixtures/database-version-1.sql', import.meta.url),
  'utf8',
)

/** The credentials that belong to it, and a time at which they are valid. */
export const firstCredentials = {
  at: 1_795_355_400_000,
  session: 'se_E5xDZHDjzGyA-zNfoDVdmg.7AVFWryAYAeXahHv-qF90qYrEfTO5gfFqfhEVHZSVIA',
  accessToken: [
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjVfMi1wTmIyXzlOZ3Jsdjk2Z3diWHNsMXlRU2JFR2taIn0',
    'eyJzdWIiOiJhY2NfZF9qTVBzNjVqWDRzT01hbElaa3BYdyIsInJvbGUiOiJSRUFERVIiLCJzaWQiOiJydF90QngyX0VzUzNkWFlHVHprUEFoeWNBIiwiZXBvY2giOjAsImlzcyI6Imh0dHA6Ly8xMjcuMC4wLjE6NDk5OSIsImF1ZCI6Imh0dHA6Ly8xMjcuMC4wLjE6NDk5OSIsImlhdCI6MTc5NTM1NTM0NiwiZXhwIjoxNzk1MzU2MjQ2LCJqdGkiOiIyWFBfZDRLNnF2aFZ1elA3azJmUzBnIn0',
    'n0gwNYS3EmnwPnaHjV8P4WvemYNNV4Qr0xEe-Ceucds',
  ].join('.'),
  refreshToken: 'rt_tBx2_EsS3dXYGTzkPAhycA.ld8disNkKp48zS6TgYhsvESzbKfbPGPn3yrfuBr2z-vMAag4oDFb08Ju6IxJDLe1',
} as const

const none = { permissions: [] }
const policy = definePolicy({
  permissions: ['notes:read'],
  roles: { READER: none, AUTHOR: none, EDITOR: none, ADMIN: none },
})

/** Creates a server of this release over that database. */
export function createUpgraded(stores: ServerStores, now?: () => number): Server {
  return createServer({
    baseUrl: 'http://127.0.0.1:4999',
    stores,
    ...(now && { now }),
    secrets: createEnvSecrets({ environment: { LATCHKEY_SECRET: 'x'.repeat(48) } }),
    sessions: { nativeDelivery: allowNativeDelivery },
    mails: { mailer: createTerminalMailer() },
    signUp: { role: 'READER' },
    policy,
    typeDefs: 'type Query { hello: String! @authenticated }',
    resolvers: { Query: { hello: () => 'hello' } },
  })
}

/** What a request is answered: its status, and what it asked for. */
export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: what a test looks for in an answer is its own affair
  readonly data: any
}

/** Asks a server, with a session or a token. */
export async function ask(
  server: Server,
  query: string,
  { cookie, bearer }: { readonly cookie?: string; readonly bearer?: string } = {},
): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json',
    ...(cookie && { cookie: `__Host-session=${cookie}` }),
    ...(bearer && { authorization: `Bearer ${bearer}` }),
  }
  const request = new Request('http://127.0.0.1:4999/graphql', {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  })
  const response = await server.fetch(request)
  const { data } = (await response.json()) as { readonly data?: unknown }
  return { status: response.status, data }
}

/** Redeems a refresh token of an application and returns the answer. */
export function redeem(server: Server, refreshToken: string): Promise<Answer> {
  return ask(server, `mutation { refresh(input: { refreshToken: "${refreshToken}" }) { accessToken refreshToken } }`)
}
