import { useSyncExternalStore } from 'react'

/** The state of a place in the history that a link of this page has opened, not the browser. */
export const opened = 'opened'

/** Opens another view without loading the page. */
export function navigate(path: string, { replaces = false }: { readonly replaces?: boolean } = {}): void {
  history[replaces ? 'replaceState' : 'pushState'](opened, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
  scrollTo(0, 0)
}

/** The path of the view that is shown. */
export function usePath(): string {
  return useSyncExternalStore(onNavigation, () => location.pathname)
}

function onNavigation(listener: () => void): () => void {
  addEventListener('popstate', listener)
  return () => removeEventListener('popstate', listener)
}
