/** Returns where a sign-in leads: an account that has to set up a second factor before anything else can do so at its page. */
export function wayOn({ mustEnroll }: { readonly mustEnroll: boolean }, returnTo: string): string {
  return mustEnroll ? '/account' : returnTo
}
