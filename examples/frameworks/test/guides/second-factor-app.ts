import { createHmac } from 'node:crypto'
import { apply, blocksOf, names, replace } from './start-guide.ts'

/** All but the last one have an app, and all apps have one secret. */
const withApp = names.slice(0, -1)
export const withoutApp = 'jo'
const secret = '12345678901234567890'

/** The code of the app, `steps` of thirty seconds from now. */
export function codeIn(steps = 0): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps))
  const hmac = createHmac('sha1', secret).update(counter).digest()
  const number = hmac.readUInt32BE((hmac.at(-1) ?? 0) & 15) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}

/** The application of the guide about forms with what the guide about the second factor adds. */
export function addSecondFactor(forms: string): Readonly<Record<string, string>> {
  const guide = 'second-factor-in-your-own-server.md'
  const [factors = '', , secondFactor = ''] = blocksOf(guide, 'ts')
  const changed = blocksOf(guide, 'diff').reduce(apply, forms)
  const enrolled = `for (const name of ${JSON.stringify(withApp)}) {
  await totp.importSecret(name, new TextEncoder().encode('${secret}'))
  console.log('recovery', name, (await recoveryCodes.generate(name)).join(' '))
}
`
  const made = 'const secret = crypto.getRandomValues(new Uint8Array(32))\n'
  return {
    'app.ts': replace(changed, 'app.listen(', `${enrolled}app.listen(`),
    'factors.ts': factors.replace(/^const secret = .*\n/m, made),
    'second-factor.ts': secondFactor,
  }
}
