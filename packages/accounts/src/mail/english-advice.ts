export const ifYou = 'If this was you, you can ignore this email.'

/** Returns the advice for a reader who did not make a change. */
export function notYou(resetUrl: string): readonly string[] {
  return ["If this wasn't you, reset your password:", resetUrl]
}
