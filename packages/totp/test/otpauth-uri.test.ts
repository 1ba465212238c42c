import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { URI } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { account, openTotp } from './open-totp.ts'
import { paintSvg, readQrCode } from './read-qr-code.ts'

const enroll = (accountName: string, options = {}) => openTotp(options).totp.enroll(account, accountName)

describe('the link of an enrolment', () => {
  test('has the issuer, the account, the secret and the parameters of the codes', async () => {
    const { otpauthUri, secret } = await enroll('ada@example.com')
    expect(otpauthUri).toBe(
      `otpauth://totp/Example:ada%40example.com?issuer=Example&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    )
  })

  test.each([
    ['a query of its own', 'ada?secret=AAAA&issuer=Evil', 'ada?secret=AAAA&issuer=Evil'],
    ['a fragment', 'ada#top', 'ada#top'],
    ['a slash and dots', '../../ada', '../../ada'],
    ['per cent signs', 'ada%3Aeve%00', 'ada%3Aeve%00'],
    ['spaces and a plus sign', 'ada + eve', 'ada + eve'],
    ['letters of other scripts', 'Ада 阿达 🔑', 'Ада 阿达 🔑'],
    ['quotes and brackets', '"><script>alert(1)</script>', '"><script>alert(1)</script>'],
    ['control characters', 'ada\r\n\0\u0007', 'ada'],
    ['a half of a pair', 'ada\ud83d', 'ada'],
    ['turned direction', 'ada\u202emoc.elpmaxe', 'adamoc.elpmaxe'],
    ['nothing that is shown', '\u0000 \u202e', 'Example'],
    ['no characters', '', 'Example'],
  ])('keeps a name with %s a name', async (_title, accountName, shown) => {
    const { otpauthUri, secret } = await enroll(accountName)
    const url = new URL(otpauthUri)
    expect([...url.searchParams.keys()]).toEqual(['issuer', 'secret', 'algorithm', 'digits', 'period'])
    expect(url.searchParams.get('issuer')).toBe('Example')
    expect(url.searchParams.get('secret')).toBe(secret)
    expect(decodeURIComponent(url.pathname.split('/').at(-1) ?? '')).toBe(`Example:${shown}`)
    expect(url.hash).toBe('')
  })

  test('keeps this issuer if the account name has a colon', async () => {
    const { otpauthUri } = await enroll('Evil:ada')
    expect(URI.parse(otpauthUri)).toMatchObject({ issuer: 'Example', label: 'Evil:ada' })
  })

  test('cuts a name that no app could show, between characters', async () => {
    const { otpauthUri } = await enroll('🔑'.repeat(5000))
    expect(decodeURIComponent(otpauthUri)).toContain(`Example:${'🔑'.repeat(100)}?`)
  })

  test('is read back by a parser for any name and any issuer', async () => {
    const issuers = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((issuer) => {
      return !/[:\p{Cc}\p{Bidi_Control}]/u.test(issuer) && issuer.trim() !== '' && issuer.length <= 64
    })
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 300 }), issuers, async (accountName, issuer) => {
        const { otpauthUri, secret, qrCodeSvg } = await enroll(accountName, { issuer })
        const url = new URL(otpauthUri)
        expect(url.searchParams.get('issuer')).toBe(issuer)
        expect(url.searchParams.get('secret')).toBe(secret)
        expect(qrCodeSvg).toMatch(/^<svg .*<\/svg>$/)
      }),
      { numRuns: 25 },
    )
  })
})

describe('the QR code of an enrolment', () => {
  test.each([
    ['a short name', 'ada@example.com'],
    ['letters of other scripts', 'Ада 阿达 🔑'],
    ['the longest name', '阿'.repeat(100)],
  ])('is read from the picture as the link, with %s', async (_title, accountName) => {
    const { otpauthUri, qrCodeSvg } = await enroll(accountName)
    expect(readQrCode(qrCodeSvg)).toBe(otpauthUri)
  })

  test('holds the longest issuer with the longest name', async () => {
    const { otpauthUri } = await enroll('🔑'.repeat(100), { issuer: '阿'.repeat(64) })
    expect(otpauthUri.length).toBeGreaterThan(2400)
  })

  test('is read on a dark page too: its white border is part of the picture', async () => {
    const { otpauthUri, qrCodeSvg } = await enroll('ada@example.com')
    expect(readQrCode(qrCodeSvg, 0)).toBe(otpauthUri)
    const { pixels, size } = paintSvg(qrCodeSvg, 0)
    const border = Array.from({ length: 16 * size }, (_, pixel) => pixels[pixel * 4])
    expect(new Set(border)).toEqual(new Set([255]))
  })

  test('is an image with a name for screen readers', async () => {
    const { qrCodeSvg } = await enroll('ada@example.com')
    expect(qrCodeSvg).toMatch(/^<svg [^>]*role="img"[^>]*><title>QR code for an authenticator app<\/title>/)
    const translated = await enroll('ada@example.com', { qrCodeTitle: 'Für <Ihre> App & mehr' })
    expect(translated.qrCodeSvg).toContain('<title>Für &lt;Ihre&gt; App &amp; mehr</title>')
  })

  test('needs no style, script or link, so that every policy for contents shows it', async () => {
    const { qrCodeSvg, secret } = await enroll('"><script>alert(1)</script>')
    expect(qrCodeSvg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /style|script|href|http|\son|\sid=/i,
    )
    expect(qrCodeSvg).not.toContain(secret)
  })
})
