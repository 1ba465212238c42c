import { createRequestIds } from '@latchkey/http/internal'
import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const proxy = '10.0.0.7'
const requestFrom = (peerAddress: string | null, sent: string | null = null) => ({
  peerAddress,
  headers: new Map(sent === null ? [] : [['x-request-id', sent]]),
})
const own = /^[\w-]{16}$/

describe('the id of a request', () => {
  test('is stable for a request, and differs between requests', () => {
    const requestIds = createRequestIds()
    const requests = Array.from({ length: 100 }, () => requestFrom('203.0.113.9'))
    const ids = requests.map((request) => requestIds.of(request))
    expect(new Set([...ids, requestIds.draw()]).size).toBe(101)
    expect(requests.map((request) => requestIds.of(request))).toEqual(ids)
    for (const id of ids) expect(id).toMatch(own)
  })

  test('does not show how many requests there were: no two begin or end alike', () => {
    const requestIds = createRequestIds()
    const ids = Array.from({ length: 300 }, () => requestIds.draw())
    expect(new Set(ids.map((id) => id.slice(0, 8))).size).toBe(300)
    expect(new Set(ids.map((id) => id.slice(-8))).size).toBe(300)
  })

  test('differs between processes', () => {
    const request = requestFrom('203.0.113.9')
    expect(createRequestIds().of(request)).not.toBe(createRequestIds().of(request))
  })

  test.each(['a', 'A-Z.a_z~0-9', '7'.repeat(128), '01890a5d-ac96-774b-bcce-b302099a8057'])(
    'is kept from a trusted proxy: %s',
    (sent) => {
      const requestIds = createRequestIds({ trustedProxies: ['10.0.0.0/8'] })
      expect(requestIds.of(requestFrom(proxy, sent))).toBe(sent)
      expect(requestIds.of(requestFrom(`::ffff:${proxy}`, sent))).toBe(sent)
    },
  )

  test.each([
    ['empty', ''],
    ['too long', '7'.repeat(129)],
    ['two of them', 'one, two'],
    ['with a space', 'a b'],
    ['with a line break', 'a\n'],
    ['with a quote', 'a"b'],
    ['with a slash', '../a'],
    ['with letters of another script', 'ïd'],
    ['none', null],
  ])('is replaced from a trusted proxy if it is %s', (_what, sent) => {
    const requestIds = createRequestIds({ trustedProxies: [proxy] })
    expect(requestIds.of(requestFrom(proxy, sent))).toMatch(own)
  })

  test.each([
    ['a stranger', ['10.0.0.0/8'], '203.0.113.9'],
    ['an unknown peer', ['10.0.0.0/8'], null],
    ['no address', ['10.0.0.0/8'], 'unix:/run/app'],
    ['a proxy that is not listed', [], proxy],
  ])('is replaced if it comes from %s', (_what, trustedProxies, peer) => {
    const requestIds = createRequestIds({ trustedProxies })
    expect(requestIds.of(requestFrom(peer, 'forged'))).toMatch(own)
  })

  test('has the alphabet of an id whatever a trusted proxy sends', () => {
    const requestIds = createRequestIds({ trustedProxies: [proxy] })
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (sent) => {
        expect(requestIds.of(requestFrom(proxy, sent))).toMatch(/^[A-Za-z0-9._~-]{1,128}$/)
      }),
    )
  })
})

test.each([{ trustedProxies: ['a proxy'] }, { trustedProxy: [] } as object])(
  'the ids cannot be made with %j',
  (options) => {
    expect(() => createRequestIds(options)).toThrow(TypeError)
  },
)
