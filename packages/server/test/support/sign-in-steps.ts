import type { SignInState, SignInStep } from '@latchkey/accounts/internal'
import { newPassword } from './bench.ts'
import { graceSeconds, signInFully } from './sign-in-rows.ts'
import type { Scene } from './sign-in-scene.ts'
import { isRestricted, respond, type Shown } from './ways.ts'

/** Where something is shown, and the challenge that it answers. */
interface Asked {
  readonly from: SignInState
  readonly challenge: string | null
}

/** Whether a state is that of a request with a credential. */
export const isSignedIn = (state: SignInState): boolean => state === 'signed-in' || state === 'restricted'

type Show = (scene: Scene, asked: Asked) => Promise<Shown>

const showPassword: Show = ({ way, shows, account }, { from }) =>
  isSignedIn(from)
    ? way.confirmPassword(shows.visitor, shows.password)
    : way.signIn(shows.visitor, account.email, shows.password)

const showMailedCode: Show = ({ way, shows }) => {
  if (!shows.mailed) throw new Error('no code was mailed')
  return way.showMailedCode(shows.visitor, shows.mailed)
}

const showReset: Show = async ({ site, way, shows, account }) => {
  site.outbox.length = 0
  await way.requestReset(shows.visitor, account.email)
  return way.reset(shows.visitor, await site.mailedToken(account.email), newPassword)
}

const showCode: Show = ({ way, shows }, { challenge }) => way.showCode(shows.visitor, shows.code, { challenge })

/** How each step is shown. A further one needs its entry here. */
const showing: { readonly [Step in SignInStep]?: Show } = {
  password: showPassword,
  // The question which factors are required is asked of who has shown the first one.
  requirements: showPassword,
  // The question whether something is to be set up is asked with every request.
  enrollment: ({ way, shows }) => way.askForMore(shows.visitor),
  'email-code': showMailedCode,
  reset: showReset,
  totp: showCode,
  'recovery-code': showCode,
  async passkey({ way, shows, authenticator }, { challenge }) {
    return way.finishPasskey(shows.visitor, await respond(shows.ceremony, authenticator, shows), { challenge })
  },
}

/** Shows what a step takes, as the scene has it. */
export async function showStep(scene: Scene, on: SignInStep, asked: Asked): Promise<Shown> {
  const show = showing[on]
  if (!show) throw new Error(`say in sign-in-steps.ts how this step is shown: ${on}`)
  return show(scene, asked)
}

type Come = (scene: Scene, on: SignInStep) => Promise<string | null>

/** How each state is come to in which the table has rows, and the challenge that is open there. */
const coming: { readonly [State in SignInState]?: Come } = {
  anonymous: async () => null,
  // It lasts as long as the request that shows the first factor.
  'first-factor-proven': async () => null,
  async 'second-factor-pending'({ way, visitor, account, shows }) {
    return (await way.signIn(visitor, account.email, shows.password)).challenge
  },
  async 'signed-in'(scene, on) {
    const { site, way, visitor } = scene
    await signInFully(scene)
    if (on === 'enrollment') return null
    site.advance(301)
    return on === 'password' ? null : (await way.askForProof(visitor)).challenge
  },
  async restricted(scene) {
    await signInFully(scene)
    scene.site.advance(graceSeconds)
    if (!(await isRestricted(scene.way, scene.visitor))) throw new Error('the account is not restricted')
    return null
  },
}

/** Comes to a state, and returns the challenge that is open there. */
export async function comeTo(scene: Scene, from: SignInState, on: SignInStep): Promise<string | null> {
  const come = coming[from]
  if (!come) throw new Error(`say in sign-in-steps.ts how this state is come to: ${from}`)
  return come(scene, on)
}
