import { escapeHtml } from '@latchkey/http'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test.each([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])('%s is written as %s', (character, entity) => {
  expect(escapeHtml(character)).toBe(entity)
})

test('every such character of a text is written so, and all others stay', () => {
  expect(escapeHtml(`<a title='1 & 2' href="/é">`)).toBe('&lt;a title=&#39;1 &amp; 2&#39; href=&quot;/é&quot;&gt;')
})

test('an entity in the text is escaped again', () => {
  expect(escapeHtml('&lt;')).toBe('&amp;lt;')
})

test('escaped text contains no character of markup or quotes, and loses no character', () => {
  const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('&', '<', '>', '"', "'", ';', 'lt', 'é', '😀') }), (text) => {
      const escaped = escapeHtml(text)
      expect(escaped).not.toMatch(/[<>"']/)
      expect(escaped.replace(/&([^;]+);/g, (_entity, name: string) => characters[name] ?? '')).toBe(text)
    }),
  )
})
