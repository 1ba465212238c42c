import { expect, test } from 'vitest'
import { publicUrl } from '../support/second-factors.ts'
import { temporaryDirectory } from '../support/start-quickstart.ts'
import { createCanaries } from './canaries.ts'
import { describeSecrets } from './describe-secrets.ts'

describeSecrets('of all secrets of a publication on SQLite', async () => ({
  DATA_DIR: await temporaryDirectory(),
  PUBLIC_URL: publicUrl,
}))

const secret = 'se_AAAAAAAAAAAAAAAAAAAAAA.q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k'

test.each([
  ['as it is', secret],
  ['its secret part', secret.slice(26)],
  ['in base64', Buffer.from(secret).toString('base64')],
  ['in base64 of more', Buffer.from(`{"token":"${secret}"}`).toString('base64')],
  ['in base64url of more', Buffer.from(`ab${secret}`).toString('base64url')],
  ['in hex', Buffer.from(secret).toString('hex')],
  ['the bytes of its secret part in hex', Buffer.from(secret.slice(26), 'base64url').toString('hex')],
  ['the bytes of its secret part in base64', Buffer.from(secret.slice(26), 'base64url').toString('base64')],
])('a secret is found in a text %s', (_form, text) => {
  const canaries = createCanaries()
  canaries.add('one', secret)
  expect(canaries.findIn(`before ${text} after`)).not.toEqual([])
  expect(canaries.findIn(`before ${secret.slice(0, 25)} after`)).toEqual([])
})

test('a secret is found in a URL, in a form and in JSON, and a code is no part of a longer number', () => {
  const canaries = createCanaries()
  canaries.add('a password', 'two "words" & more')
  canaries.add('a code', '314159')
  expect(canaries.findIn('?p=two%20%22words%22%20%26%20more')).toEqual(['a password, in a URL'])
  expect(canaries.findIn('p=two+%22words%22+%26+more')).toEqual(['a password, in a form'])
  expect(canaries.findIn('{"p":"two \\"words\\" & more"}')).toEqual(['a password, in JSON'])
  expect(canaries.findIn('code 314159.')).toEqual(['a code, as it is'])
  expect(canaries.findIn('at 1314159, 0.314159')).toEqual([])
})
