import type { AskOwn } from '../core/create-core.ts'

interface Ceremony {
  readonly c: { readonly options: string }
}

/** Asks the user for a passkey; returns what the authenticator has signed, as JSON. */
export async function showPasskey(
  askOwn: AskOwn,
  challenge: string | null,
  { conditional = false, signal }: { readonly conditional?: boolean; readonly signal?: AbortSignal },
): Promise<string> {
  const query = 'mutation($i:StartPasskeySignInInput){c:startPasskeySignIn(input:$i){options}}'
  const { c } = await askOwn<Ceremony>(query, { i: { challenge } })
  const credential = await navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(c.options)),
    ...(conditional && { mediation: 'conditional' }),
    ...(signal && { signal }),
  })
  return JSON.stringify(credential)
}

/** Asks the user for a new passkey; returns what the authenticator has signed, as JSON. */
export async function createPasskey(askOwn: AskOwn): Promise<string> {
  const { c } = await askOwn<Ceremony>('mutation{c:startPasskeyRegistration{options}}')
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(c.options))
  return JSON.stringify(await navigator.credentials.create({ publicKey }))
}
