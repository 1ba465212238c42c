import { afterEach, describe, expect, test, vi } from 'vitest'
import { openReader } from './support/open-reader.ts'

const id = 'https://notes.example/client.json'
const good = '93.184.215.14'
const other = '2606:2800:21f:cb07:6820:80da:af6b:8b2c'

afterEach(() => void vi.useRealTimers())

describe('the addresses of a name', () => {
  test.each([
    ['a private address among public addresses', [good, '10.0.0.1', other]],
    ['a private address at first', ['192.168.1.1', good]],
    ['a private address at the end', [good, other, '1.1.1.1', '8.8.8.8', '169.254.169.254']],
    ['loopback after a public IPv4 address', [good, '::1']],
    ['a mapped public address', [good, '::ffff:5db8:d70e']],
    ['a name in place of an address', [good, 'intranet.example']],
    ['65 public addresses', Array.from({ length: 65 }, (_, index) => `93.184.215.${index}`)],
    ['1000 public addresses', Array.from({ length: 1000 }, (_, index) => `93.184.${index >> 8}.${index & 255}`)],
    ['a value that is no text', [good, null as unknown as string]],
  ])('the addresses are refused, without a connection: %s', async (_why, addresses) => {
    const reader = openReader({ names: { 'notes.example': addresses } })
    expect(await reader.readOnce(id)).toMatchObject({ kind: 'refused' })
    expect([reader.lookups, reader.connections]).toEqual([['notes.example'], []])
  })

  test('a fetch makes one lookup, and a second answer has no effect', async () => {
    const answers = [[good], ['127.0.0.1'], ['10.0.0.1']]
    const reader = openReader({ names: async () => answers.shift() ?? [] })
    expect(await reader.readOnce(id)).toMatchObject({ kind: 'failed' })
    expect(reader.lookups).toEqual(['notes.example'])
    expect(reader.connections).toEqual([`${good} 443`])
  })

  test('the next fetch makes a lookup and checks the addresses again', async () => {
    const answers = [[good], ['127.0.0.1']]
    const reader = openReader({ names: async () => answers.shift() ?? [] })
    await reader.readOnce(id)
    reader.clock.ms += 1000
    expect(await reader.readOnce(id)).toMatchObject({ kind: 'refused' })
    expect(reader.connections).toEqual([`${good} 443`])
  })

  test('a fetch tries at most three addresses, in order', async () => {
    const addresses = [good, other, '1.1.1.1', '8.8.8.8']
    const reader = openReader({ names: { 'notes.example': addresses } })
    expect(await reader.readOnce(id)).toMatchObject({ kind: 'failed' })
    expect(reader.connections).toEqual([`${good} 443`, `${other} 443`, '1.1.1.1 443'])
  })

  test.each([
    ['there are no addresses', async () => []],
    ['the lookup rejects', async () => Promise.reject(new Error('ESERVFAIL notes.example'))],
    [
      'the lookup throws',
      () => {
        throw new Error('ESERVFAIL notes.example')
      },
    ],
  ])('a fetch fails without a quotation if %s', async (_why, names) => {
    const reader = openReader({ names })
    const reading = await reader.readOnce(id)
    expect(reading).toMatchObject({ kind: 'failed' })
    expect(JSON.stringify(reading)).not.toContain('notes.example')
    expect(reader.connections).toEqual([])
  })

  test('an answer after 5 seconds leads to no connection', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { promise, resolve } = Promise.withResolvers<readonly string[]>()
    const reader = openReader({ names: () => promise })
    const seen = vi.fn()
    const reading = reader.readOnce(id).then(seen)
    await vi.advanceTimersByTimeAsync(4999)
    expect(seen).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await reading
    expect(seen).toHaveBeenCalledWith(expect.objectContaining({ kind: 'failed' }))
    resolve([good])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(reader.connections).toEqual([])
  })
})
