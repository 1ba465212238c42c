import { afterAll, describe, expect, test } from 'vitest'
import { operations } from '../support/factor-bench.ts'
import { signInFully } from '../support/sign-in-rows.ts'
import { createScene, type Scene, useSites } from '../support/sign-in-scene.ts'
import { type Answer, allowed, asked, copyOf, outcomeOf, refreshBy } from '../support/visitor.ts'
import { operating, respond, type Shown } from '../support/ways.ts'

const sites = useSites()
afterAll(() => sites.close())

const ended = [401, 'UNAUTHENTICATED']

const proofs: Readonly<Record<string, (scene: Scene, challenge: string | null) => Promise<Shown>>> = {
  'a code': ({ way, visitor, newCode }, challenge) => way.showCode(visitor, newCode('totp'), { challenge }),
  async 'a passkey'({ way, visitor, authenticator }, challenge) {
    const response = await respond(await way.startPasskey(visitor, { challenge }), authenticator)
    return way.finishPasskey(visitor, response, { challenge })
  },
}

describe.each(operating)('setRole requires a second factor of an administrator, by %s,', (_name, way) => {
  test.each(Object.keys(proofs))(
    'more than 300 s after its proof, accepts it for 300 s after %s, then requires it again; earlier challenges are void',
    async (proof) => {
      const scene = await createScene(await sites.with(), way, { account: { roles: ['ADMIN'] } })
      const { site, visitor } = scene
      const { id: accountId } = await site.insert()
      await signInFully(scene)
      let turn = 0
      const roles = ['AUTHOR', 'READER']
      const setRole = (by = visitor): Promise<Answer> =>
        by.ask(operations.setRole, { input: { accountId, role: roles[turn++ % 2] } })
      const rolesNow = async () => (await site.stores.accounts.get(accountId))?.roles
      expect(outcomeOf(await setRole())).toEqual(allowed)
      site.advance(301)
      const before = await rolesNow()
      const refused = await setRole()
      expect(outcomeOf(refused)).toEqual(asked)
      expect(refused.headers.get('www-authenticate')).toBe(
        'Bearer realm="graphql", error="insufficient_user_authentication", max_age="300"',
      )
      expect(refused.errors[0]?.extensions).toEqual({
        code: 'STEP_UP_REQUIRED',
        challenge: expect.stringMatching(/^.{40,}$/),
        factors: ['totp', 'passkey'],
        maxAgeSeconds: 300,
      })
      expect(await rolesNow()).toEqual(before)

      const old = copyOf(visitor, site.visitor())
      const { answer } = await proofs[proof]!(scene, String(refused.errors[0]?.extensions.challenge))
      expect(outcomeOf(answer)).toEqual(allowed)
      const [renewed] = Object.values(answer.data) as Record<string, unknown>[]
      const delivered = [renewed?.accessToken, renewed?.refreshToken, renewed?.csrfToken].map((text) => text !== null)
      expect([renewed?.status, ...delivered]).toEqual([
        'SIGNED_IN',
        way.delivery !== 'SESSION',
        way.delivery === 'NATIVE',
        way.delivery === 'SESSION',
      ])
      expect(outcomeOf(await setRole())).toEqual(allowed)

      const changed = await rolesNow()
      for (const query of [() => old.ask(operations.viewer), () => setRole(old)]) {
        expect(outcomeOf(await query())).toEqual([401, 'UNAUTHENTICATED'])
      }
      expect(outcomeOf(await refreshBy(way.delivery, old))).toEqual(ended)
      expect(await rolesNow()).toEqual(changed)

      // The old token that was shown has not ended the new one, whose successor is as old a proof.
      if (way.delivery !== 'SESSION') {
        const { refresh } = (await refreshBy(way.delivery, visitor)).data
        visitor.bearer = refresh.accessToken
      }
      site.advance(270)
      expect(outcomeOf(await setRole())).toEqual(allowed)
      site.advance(31)
      expect(outcomeOf(await setRole())).toEqual(asked)
    },
  )
})
