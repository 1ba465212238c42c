import { createSessionCookie } from '@latchkey/http'
import { createResponseHeaders } from '@latchkey/http/internal'
import { expect, test } from 'vitest'

test('headers and cookies are queued in order, and the names keep their spelling', () => {
  const reply = createResponseHeaders()
  expect(reply.headers()).toEqual([])
  reply.setCookie('a=1; Path=/')
  reply.setHeader('Retry-After', '30')
  reply.setCookie('b=2')
  expect(reply.headers()).toEqual([
    ['Retry-After', '30'],
    ['Set-Cookie', 'a=1; Path=/'],
    ['Set-Cookie', 'b=2'],
  ])
})

test('the last word on a header or a cookie counts alone', () => {
  const cookie = createSessionCookie()
  const reply = createResponseHeaders()
  reply.setCookie(cookie.write('se'))
  reply.setCookie(cookie.clear())
  reply.setHeader('cache-control', 'public')
  reply.setHeader('Cache-Control', 'no-store')
  expect(reply.headers()).toEqual([
    ['Cache-Control', 'no-store'],
    ['Set-Cookie', cookie.clear()],
  ])
})

test('a returned list of headers does not change later', () => {
  const reply = createResponseHeaders()
  const before = reply.headers()
  reply.setHeader('X-A', '1')
  expect(before).toEqual([])
})

test.each([
  ['a line break in the value', 'X-A', 'a\r\nSet-Cookie: b=c'],
  ['a lone line feed', 'X-A', 'a\nb'],
  ['a NUL', 'X-A', 'a\0'],
  ['a character that no header holds', 'X-A', '€'],
  ['a line break in the name', 'X-A\r\nX-B', 'a'],
  ['a colon in the name', 'X-A: b', 'a'],
  ['no name', '', 'a'],
  ['a cookie, which has its own method', 'Set-Cookie', 'a=1'],
  ['a cookie in lower case', 'set-cookie', 'a=1'],
])('%s is refused without a queued header', (_what, name, value) => {
  const reply = createResponseHeaders()
  expect(() => reply.setHeader(name, value)).toThrow(TypeError)
  expect(reply.headers()).toEqual([])
})

test.each(['', 'a', '=a', 'a b=c', 'a=1\r\nX-A: b', 'a=1\0', 'a=€', '; a=1'])(
  'the cookie line %j is refused',
  (line) => {
    const reply = createResponseHeaders()
    expect(() => reply.setCookie(line)).toThrow(TypeError)
    expect(reply.headers()).toEqual([])
  },
)
