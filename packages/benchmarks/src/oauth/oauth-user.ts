import { createHash, randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { client, machine } from './oauth-clients.ts'
import type { OAuthHello } from './oauth-server.ts'

/** A conversation that a user or a client repeats. */
export type Conversation = 'client credentials' | 'refresh' | 'authorize and token'

/** A user of a server, with its own connection. */
export interface OAuthUser {
  converse(conversation: Conversation): Promise<void>
  close(): void
}

interface Answer {
  readonly status: number
  readonly location: string
  readonly cookies: readonly string[]
  readonly body: Readonly<Record<string, string>>
}

const formType = 'application/x-www-form-urlencoded'

export async function openUser(hello: OAuthHello): Promise<OAuthUser> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { port, authorizePath, scope } = hello
  let { cookie } = hello
  let refreshToken = ''

  function ask(path: string, form?: Readonly<Record<string, string>>): Promise<Answer> {
    const body = form && new URLSearchParams(form).toString()
    const headers = {
      ...(cookie !== '' && !form && { cookie }),
      ...(body !== undefined && { 'content-type': formType, 'content-length': Buffer.byteLength(body) }),
    }
    const method = form ? 'POST' : 'GET'
    return new Promise((resolve, reject) => {
      const sent = request({ agent, host: '127.0.0.1', port, path, method, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const { location = '', 'set-cookie': cookies = [] } = response.headers
          const read = text.startsWith('{') ? JSON.parse(text) : {}
          resolve({ status: response.statusCode ?? 0, location, cookies, body: read })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  function authorizeWith(challenge: string): Promise<Answer> {
    const asked = {
      ...{ response_type: 'code', client_id: client.id, redirect_uri: client.redirectUri, scope, state: 'state' },
      ...{ nonce: 'nonce', code_challenge: challenge, code_challenge_method: 'S256' },
    }
    return ask(`${authorizePath}?${new URLSearchParams(asked)}`)
  }

  /** Follows redirects to the callback, and keeps the cookies of the way: once, to be signed in. */
  async function signIn(): Promise<void> {
    const kept = new Map<string, string>()
    let answer = await authorizeWith('A'.repeat(43))
    while (!answer.location.startsWith(client.redirectUri)) {
      for (const line of answer.cookies) {
        const [name = '', value = ''] = line.split(';', 1)[0]?.split('=') ?? []
        kept.set(name, value)
      }
      cookie = [...kept].map((pair) => pair.join('=')).join('; ')
      if (answer.location === '') throw new Error(`nobody is signed in: ${answer.status}`)
      const { pathname, search } = new URL(answer.location, `http://127.0.0.1:${port}`)
      answer = await ask(`${pathname}${search}`)
    }
    for (const line of answer.cookies) {
      const [name = '', value = ''] = line.split(';', 1)[0]?.split('=') ?? []
      kept.set(name, value)
    }
    if (kept.size > 0) cookie = [...kept].map((pair) => pair.join('=')).join('; ')
  }

  async function askForTokens(
    form: Readonly<Record<string, string>>,
    names: readonly string[],
  ): Promise<Answer['body']> {
    const { status, body } = await ask('/token', form)
    const isWhole = status === 200 && names.every((name) => typeof body[name] === 'string')
    if (!isWhole || body.access_token?.split('.').length !== 3) {
      throw new Error(`tokens were refused: ${status} ${JSON.stringify(body)}`)
    }
    return body
  }

  const ofClient = { client_id: client.id, client_secret: client.secret }
  const conversations: Readonly<Record<Conversation, () => Promise<void>>> = {
    async 'client credentials'() {
      const form = { client_id: machine.id, client_secret: machine.secret, scope: 'articles:read' }
      await askForTokens({ grant_type: 'client_credentials', ...form }, ['access_token'])
    },
    async refresh() {
      const form = { ...ofClient, grant_type: 'refresh_token', refresh_token: refreshToken }
      const body = await askForTokens(form, ['access_token', 'id_token', 'refresh_token'])
      if (body.refresh_token === refreshToken) throw new Error('the refresh token was not rotated')
      refreshToken = body.refresh_token ?? ''
    },
    async 'authorize and token'() {
      const verifier = randomBytes(32).toString('base64url')
      const { location } = await authorizeWith(createHash('sha256').update(verifier).digest('base64url'))
      const code = URL.canParse(location) ? new URL(location).searchParams.get('code') : null
      if (code === null) throw new Error(`no code was given: ${location}`)
      const form = { ...ofClient, grant_type: 'authorization_code', code, redirect_uri: client.redirectUri }
      const names = ['access_token', 'id_token', 'refresh_token']
      refreshToken = (await askForTokens({ ...form, code_verifier: verifier }, names)).refresh_token ?? ''
    },
  }
  await signIn()
  await conversations['authorize and token']()
  return { converse: (conversation) => conversations[conversation](), close: () => agent.destroy() }
}
