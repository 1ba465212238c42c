import { createAddressReader } from '@latchkey/http'
import { expect, onTestFinished, test } from 'vitest'
import { openEndpoint } from '../support/endpoint.ts'

test('events of limits remember a thousand addresses: of more the first is reported again', async () => {
  const { post, events, close } = await openEndpoint({
    sdl: 'type Query { id: Int }',
    resolvers: { 'Query.id': () => 1 },
    compile: { limits: { aliases: 1 } },
    addresses: createAddressReader({ trustedProxies: ['127.0.0.1'] }),
    now: () => 0,
  })
  onTestFinished(() => close())
  const ask = (name: string, address: string) =>
    post({ query: `query ${name} { one: id, other: id }` }, { 'x-forwarded-for': address })
  const ofFirst = async () => {
    await ask('First', '192.0.2.1')
    return events.filter((event) => event.type === 'limit.exceeded' && event.operationName === 'First').length
  }
  expect([await ofFirst(), await ofFirst()]).toEqual([1, 1])
  for (let index = 0; index < 1000; index++) await ask(`Q${index}`, `198.18.${Math.floor(index / 250)}.${index % 250}`)
  expect(await ofFirst()).toBe(2)
})
