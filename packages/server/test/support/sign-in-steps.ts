import type { SignInState, SignInStep } from '@latchkey/accounts'
import { signInFully } from './sign-in-rows.ts'
import type { Scene } from './sign-in-scene.ts'
import { respond, type Shown } from './ways.ts'

/** Where something is shown, and the challenge that it answers. */
interface Asked {
  readonly from: SignInState
  readonly challenge: string | null
}

/** Shows one factor, or the password where none is named. */
export async function showStep(scene: Scene, on: SignInStep, { challenge, from }: Asked): Promise<Shown> {
  const { way, shows, account, authenticator } = scene
  if (on === 'totp' || on === 'recovery-code') return way.showCode(shows.visitor, shows.code, { challenge })
  if (on !== 'passkey') {
    if (from === 'signed-in') return way.confirmPassword(shows.visitor, shows.password)
    return way.signIn(shows.visitor, account.email, shows.password)
  }
  return way.finishPasskey(shows.visitor, await respond(shows.ceremony, authenticator, shows), { challenge })
}

/** Returns the challenge that is open in a state. */
export async function comeTo(scene: Scene, from: SignInState, on: SignInStep): Promise<string | null> {
  const { site, way, visitor, account, shows } = scene
  if (from === 'second-factor-pending') return (await way.signIn(visitor, account.email, shows.password)).challenge
  if (from !== 'signed-in') return null
  await signInFully(scene)
  site.advance(301)
  return on === 'password' ? null : (await way.askForProof(visitor)).challenge
}
