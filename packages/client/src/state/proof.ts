/** The proof of a user: a code of an app or a recovery code, the password, or a passkey. */
export type Proof = { readonly code: string } | { readonly password: string } | { readonly passkey: true }
