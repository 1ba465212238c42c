import { createPkcePair } from '@latchkey/oauth'
import { describe, expect, test } from 'vitest'
import type { Bench } from '../support/bench.ts'
import { answerTo, callback, createAskingBench, decide, open, requestPath } from '../support/clients/asking.ts'
import { grantsOf } from '../support/clients/grants-of.ts'
import type { Visitor } from '../support/visitor.ts'

const write = 'mutation { writeNote(text: "x") }'

interface Scene {
  readonly bench: Bench
  readonly owner: Visitor & { readonly account: { readonly id: string } }
}

/** Lets the owner answer a request for scopes, and returns its page and the token of an allowed one. */
async function askFor({ bench, owner }: Scene, scope: string, decision: 'allow' | 'deny') {
  const { verifier, challenge } = createPkcePair()
  const page = await open(owner, requestPath({ scope, code_challenge: challenge }))
  const { code = '', error = null } = answerTo(await decide(owner, page, decision))
  const exchange = { client_id: 'reader', redirect_uri: callback, code, code_verifier: verifier }
  const answer = await bench.visitor().post('/token', { grant_type: 'authorization_code', ...exchange })
  return { page: page.text, error, token: answer.status === 200 ? JSON.parse(answer.text).access_token : null }
}

const askWith = (bench: Bench, bearer: string) => Object.assign(bench.visitor(), { bearer }).ask(write)

async function openScene() {
  const bench = createAskingBench()
  const scene: Scene = { bench, owner: await bench.signedIn('AUTHOR') }
  const { token } = await askFor(scene, 'openid', 'allow')
  const refused = await askWith(bench, token)
  const named = refused.errors.flatMap(({ extensions }) => extensions.scopes as string[])
  return { ...scene, token, union: ['openid', ...named].join(' ') }
}

describe('a client whose token is too narrow', () => {
  test('gets a token for the union, whose page marks the new scopes; the earlier token stays narrow', async () => {
    const { token, union, ...scene } = await openScene()
    expect(union).toBe('openid notes:write')
    const { page, token: wider } = await askFor(scene, union, 'allow')
    const [fresh = '', known = ''] = page.split('<h2>').slice(1)
    expect(fresh).toContain('notes:write')
    expect(known).toContain('Recognize your account')
    expect(known).not.toContain('notes:write')
    expect((await askWith(scene.bench, wider)).status).toBe(200)
    expect((await askWith(scene.bench, token)).errors[0]?.extensions).toEqual({
      code: 'FORBIDDEN',
      challenge: 'insufficient_scope',
      scopes: ['notes:write'],
    })
  })

  test('keeps its scopes if its user refuses', async () => {
    const { token, union, ...scene } = await openScene()
    const before = await grantsOf(scene.bench, scene.owner.account.id)
    expect(await askFor(scene, union, 'deny')).toMatchObject({ error: 'access_denied', token: null })
    expect(await grantsOf(scene.bench, scene.owner.account.id)).toEqual(before)
    expect((await askWith(scene.bench, token)).status).toBe(403)
    const viewer = await Object.assign(scene.bench.visitor(), { bearer: token }).ask('{ viewer { id } }')
    expect(viewer.status).toBe(200)
  })
})
