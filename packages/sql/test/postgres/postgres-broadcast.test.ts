import { createPostgresBroadcast } from '@latchkey/sql'
import { expect, test } from 'vitest'

test.each([
  ['"connect"', { connect: undefined }],
  ['"unreadAtMost"', { unreadAtMost: 0 }],
  ['"deadlineMs"', { deadlineMs: 0.5 }],
  ['"heartbeatMs"', { heartbeatMs: -1 }],
])('an option that is not valid is named: %s', (name, wrong) => {
  const options = { connect: () => Promise.reject(new Error('no connection')), ...wrong }
  expect(() => createPostgresBroadcast(options as never)).toThrow(TypeError)
  expect(() => createPostgresBroadcast(options as never)).toThrow(name)
})

test('a message that is too long is refused before connecting', async () => {
  const broadcast = createPostgresBroadcast({ connect: () => Promise.reject(new Error('no connection')) })
  await expect(broadcast.publish('a', 'x'.repeat(2001))).rejects.toThrow(TypeError)
})

test('foreign payloads on the channel are not delivered and do not throw', async () => {
  const listeners: ((message: { readonly payload?: string | undefined }) => void)[] = []
  const client: Awaited<ReturnType<Parameters<typeof createPostgresBroadcast>[0]['connect']>> = {
    query: async () => undefined,
    on: (event: string, listener: (typeof listeners)[number]) => event === 'notification' && listeners.push(listener),
    end: async () => undefined,
  }
  const broadcast = createPostgresBroadcast({ connect: async () => client })
  const messages = await broadcast.listen('a')
  for (const payload of ['%E0 x', '% x', '%', '', ' ', 'ax', undefined, 'a 1'])
    for (const hear of listeners) hear({ payload })
  expect(await messages.next()).toEqual({ done: false, value: '1' })
  await broadcast.close()
})
