/** Returns whether the browser can use passkeys here: it keeps them for names, not for addresses like 127.0.0.1. */
export function knowsPasskeys(): boolean {
  return !/^[\d.]+$|^\[/.test(location.hostname) && 'PublicKeyCredential' in window
}

/** Returns the address of this page with the name `localhost`, for which the browser keeps passkeys on this machine. */
export function passkeyAddress(): string {
  return location.href.replace(location.hostname, 'localhost')
}
