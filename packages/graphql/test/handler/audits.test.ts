import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, type Service, serve } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await serve()
})
afterAll(() => service.close())

const visitors: readonly (readonly [string, Record<string, string>])[] = [
  ['anonymous', {}],
  ['with a token', bearer('admin')],
]
const ids = serverAudits({ url: '' }).map(({ id, name }) => [id, name] as const)

test('there are 61 audits', () => {
  expect(ids).toHaveLength(61)
})

for (const [visitor, credentials] of visitors) {
  test.each(ids)(`%s, ${visitor}: %s`, async (id) => {
    const fetchFn = (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...credentials } })
    const audit = serverAudits({ url: service.url, fetchFn }).find((one) => one.id === id)
    expect(await audit!.fn()).toMatchObject({ status: 'ok' })
  })
}
