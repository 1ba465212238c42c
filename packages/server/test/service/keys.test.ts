import { expect, test } from 'vitest'
import { createBench } from '../support/bench.ts'

const viewer = '{ viewer { id } }'
const kidOf = (token: string | null) => JSON.parse(Buffer.from(token?.split('.')[0] ?? '', 'base64url').toString()).kid

test('a new key signs at once, the old key verifies until its last token expires, and an event is emitted', async () => {
  const bench = createBench()
  const before = await bench.signedIn('READER', 'TOKEN')
  const { keyId } = await bench.server.rotateKeys()
  expect(bench.events.at(-1)).toMatchObject({ type: 'key.rotated', at: bench.clock.time, keyId })
  const after = await bench.signedIn('READER', 'TOKEN')
  expect(kidOf(after.bearer)).toBe(keyId)
  expect(kidOf(before.bearer)).not.toBe(keyId)
  for (const visitor of [before, after]) expect((await visitor.ask(viewer)).status).toBe(200)

  bench.advance(14 * 60)
  expect((await before.ask(viewer)).status).toBe(200)
  bench.advance(2 * 60)
  expect((await before.ask(viewer)).status).toBe(401)
})

test('another open process uses the new key, and refuses no token meanwhile', async () => {
  const bench = createBench()
  const other = createBench({ beside: bench })
  await other.server.open()
  const before = await bench.signedIn('READER', 'TOKEN')
  const { keyId } = await bench.server.rotateKeys()
  const after = await bench.signedIn('READER', 'TOKEN')
  for (const { bearer } of [before, after]) {
    const visitor = other.visitor()
    visitor.bearer = bearer
    expect((await visitor.ask(viewer)).status).toBe(200)
  }
  bench.advance(61)
  expect(kidOf((await other.signedIn('READER', 'TOKEN')).bearer)).toBe(keyId)
})

test('concurrent rotations take effect once', async () => {
  const bench = createBench()
  await bench.server.open()
  const rotated = await Promise.all(Array.from({ length: 5 }, () => bench.server.rotateKeys()))
  expect(new Set(rotated.map(({ keyId }) => keyId)).size).toBe(1)
})
