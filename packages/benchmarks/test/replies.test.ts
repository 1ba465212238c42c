import { describe, expect, test } from 'vitest'
import { writeRequest } from '../src/load/connection.ts'
import { readReply, readStatus } from '../src/load/reply.ts'

const withLength = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 7\r\nx: y\r\n\r\n{"a":1}')
const inChunks = Buffer.from(
  'HTTP/1.1 401 Unauthorized\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{"a\r\nc\r\n":"Grüße"}\r\n0\r\n\r\n',
)
const empty = Buffer.from('HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n')

describe.each([
  ['with a length', withLength, { status: 200, body: '{"a":1}' }],
  ['in chunks', inChunks, { status: 401, body: '{"a":"Grüße"}' }],
  ['without a body', empty, { status: 204, body: '' }],
])('a reply %s', (_which, bytes, reply) => {
  test('is read when all of it is there', () => {
    expect(readStatus(bytes)).toBe(reply.status)
    expect(readReply(bytes)).toEqual(reply)
  })

  test('has no status as long as a byte is missing', () => {
    for (let length = 0; length < bytes.length; length++) expect(readStatus(bytes.subarray(0, length))).toBeNull()
  })
})

test('a request has its headers, the length of its body in bytes, and the body', () => {
  const request = writeRequest({
    method: 'POST',
    path: '/graphql',
    host: 'notes.example.com',
    headers: { accept: 'application/json' },
    body: 'ü',
  })
  expect(request.toString()).toBe(
    'POST /graphql HTTP/1.1\r\nhost: notes.example.com\r\naccept: application/json\r\ncontent-length: 2\r\n\r\nü',
  )
})
