import { parse, print } from 'graphql'
import { expect, test } from 'vitest'
import { FakeBrowser } from './support/fake-service.ts'

async function printed(document: string | { readonly kind?: string }): Promise<string> {
  const browser = new FakeBrowser()
  await browser.openTab().request(document)
  return browser.service.seen.at(-1)?.query ?? ''
}

test.each([
  '{ me }',
  'query Q($a: [Int!]! = [1, -2.5], $b: In = {x: "a\\"\\n", y: [], z: {}, e: RED, n: null, t: true}) @d { a: b(c: $a, d: $b) @skip(if: false) { c } }',
  'mutation M { a { ...F @include(if: true) ... on T @d { x } ... { y } ... @d { z } } } fragment F on T { id b(x: "text \\u{1F980}") }',
  'subscription S { a }',
  'query($s: String = "") { a(s: $s) }',
])('a document node is sent as its text: %s', async (text) => {
  const document = parse(text, { noLocation: true })
  expect(print(parse(await printed(document)))).toBe(print(parse(text)))
})

test('a document that is text, or an object with toString, is sent unchanged', async () => {
  expect(await printed('{ me }')).toBe('{ me }')
  expect(
    await printed(Object.assign(new String('{ you }'), { __apiType: () => ({}) }) as { readonly kind?: string }),
  ).toBe('{ you }')
})
