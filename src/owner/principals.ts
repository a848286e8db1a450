/** Gives the name by which rules, loans and the ledger know the holder of a script's token. */
export function tokenPrincipal(tokenId: string): string {
  return `token:${tokenId}`;
}

/** Gives the name by which rules, loans and the ledger know an app. It has it again if it is let in again. */
export function appPrincipal(clientId: string): string {
  return `app:${clientId}`;
}
