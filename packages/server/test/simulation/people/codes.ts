import { type Code, type Person, totpCode } from './person.ts'
import { pick, type Scene } from './plan.ts'

/** The code that an app with the secret shows. */
export function codeOf(secret: string, time: number): Code {
  return { secondFactor: totpCode(secret, time), app: { secret, step: Math.floor(time / 30_000) } }
}

/** The code that the app shows, or if it was used already, the one after it. */
export function freshCode({ now }: Scene, { usedCodes }: Person, secret: string): Code {
  const code = codeOf(secret, now())
  const isUsed = usedCodes.some(({ app }) => app?.secret === secret && app.step >= (code.app?.step ?? 0))
  return isUsed ? codeOf(secret, now() + 30_000) : code
}

/** The code that a person types: of the app, of the list of recovery codes, or a wrong one. */
export function drawCode(scene: Scene, person: Person): Code | null {
  const { choices } = scene
  const secret = person.totp ?? person.pendingTotp?.secret
  if (secret === undefined) return null
  const right = freshCode(scene, person, secret)
  if (choices.chance(10)) return pick(scene, person.usedCodes) ?? right
  if (choices.chance(10)) return codeOf('A'.repeat(32), scene.now())
  const spare = choices.chance(50) ? drawSpare(scene, person) : undefined
  return spare === undefined ? right : { secondFactor: spare }
}

/** Mostly the first unused recovery code: whoever types one in two places types the same. */
function drawSpare(scene: Scene, person: Person): string | undefined {
  return scene.choices.chance(20) ? pick(scene, person.recoveryCodes) : spareOf(person)
}

/** Returns the first recovery code that was not used. */
export function spareOf({ recoveryCodes, usedCodes }: Person): string | undefined {
  return recoveryCodes.find((code) => !usedCodes.some(({ secondFactor }) => secondFactor === code))
}
