import { StoreError } from '@latchkey/store'
import { expectWithin, startStopwatch } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { createBench, createMemoryStores } from '../support/bench.ts'

const down = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', '10.0.0.7 refused'))

async function probe(options: NonNullable<Parameters<typeof createBench>[0]>['options']) {
  const bench = createBench({ options: options ?? {} })
  const { status, headers, text } = await bench.visitor().get('/readyz')
  const failures = bench.events.filter(({ type }) => type === 'service.failed')
  return { status, retryAfter: headers.get('retry-after'), body: JSON.parse(text), failures }
}

describe('GET /readyz', () => {
  test('says that the stores answer, and what the option "check" asks', async () => {
    expect((await probe({})).body).toEqual({ status: 'ok', stores: 'ok' })
    const { status, body } = await probe({ check: async () => {} })
    expect([status, body]).toEqual([200, { status: 'ok', stores: 'ok', application: 'ok' }])
  })

  test('is 503 while what the application needs does not answer, and reports the reason to the operator alone', async () => {
    const { status, retryAfter, body, failures } = await probe({ check: down })
    expect([status, retryAfter]).toEqual([503, '5'])
    expect(body).toEqual({ status: 'unavailable', stores: 'ok', application: 'unavailable' })
    expect(failures).toMatchObject([{ during: 'readiness', cause: { code: 'STORE_UNAVAILABLE' } }])
  })

  test('is 503 when "check" throws at once, or does not answer within 2 s', async () => {
    const throwing = () => {
      throw new Error('no')
    }
    expect((await probe({ check: throwing })).status).toBe(503)
    const elapsed = startStopwatch(2000)
    expect((await probe({ check: () => new Promise(() => {}) })).status).toBe(503)
    expectWithin(2500, 'a check that hangs: /readyz is answered after', elapsed())
  })

  test('names the stores when both are down', async () => {
    let isDown = false
    const stores = { ...createMemoryStores(), check: () => (isDown ? down() : Promise.resolve()) }
    const bench = createBench({ options: { stores, check: down } })
    await bench.server.open()
    isDown = true
    const { status, text } = await bench.visitor().get('/readyz')
    expect([status, JSON.parse(text)]).toEqual([503, { status: 'unavailable', stores: 'unavailable' }])
  })

  test('does not keep requests from being answered', async () => {
    const bench = createBench({ options: { check: down } })
    expect((await bench.visitor().ask('{ hello }')).status).toBe(200)
  })
})

test('"check" must be a function', () => {
  expect(() => createBench({ options: { check: true as never } })).toThrow(new TypeError('"check" must be a function'))
})
