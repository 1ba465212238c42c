import { findCors, type HttpReply } from '@latchkey/http'
import { describe, expect, test } from 'vitest'

const page = 'https://app.example.org'
const reply: HttpReply = { status: 200, headers: [], body: 'for listed pages' }

const requestOf = (origin: string | null) => ({
  header: (name: string) => (name.toLowerCase() === 'origin' ? origin : null),
})
const readableBy = async (origin: string, list: () => Promise<readonly string[]>) => {
  const cors = await findCors(requestOf(origin), list)
  return new Map(cors.share(requestOf(origin), reply).headers).get('Access-Control-Allow-Origin') ?? null
}

describe('a list of origins that changes', () => {
  test('lets the pages read that are on it at the time of the request', async () => {
    let origins: readonly string[] = []
    const list = async () => origins
    expect(await readableBy(page, list)).toBeNull()
    origins = [page]
    expect(await readableBy(page, list)).toBe(page)
    expect(await readableBy('https://other.example.org', list)).toBeNull()
    origins = []
    expect(await readableBy(page, list)).toBeNull()
  })

  test('is not asked for by a request that names no origin, whose reply varies all the same', async () => {
    const list = () => Promise.reject(new Error('asked for'))
    const cors = await findCors(requestOf(null), list)
    expect(cors.share(requestOf(null), reply).headers).toEqual([['Vary', 'Origin']])
  })

  test('is read once for as long as it is the same array', async () => {
    const origins = [page]
    const list = async () => origins
    expect(await findCors(requestOf(page), list)).toBe(await findCors(requestOf(page), list))
    expect(await findCors(requestOf(page), async () => [page])).not.toBe(await findCors(requestOf(page), list))
  })

  test('that cannot be had is no verdict', async () => {
    const failure = new Error('the store does not answer')
    await expect(findCors(requestOf(page), () => Promise.reject(failure))).rejects.toBe(failure)
  })

  test.each(['https://app.example.org/', '*', 'null'])('with %s on it is refused', async (origin) => {
    await expect(findCors(requestOf(page), async () => [origin])).rejects.toThrow(TypeError)
  })
})
