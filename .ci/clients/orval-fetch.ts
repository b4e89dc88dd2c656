// The fetch that orval's clients are told to use.
export async function send<T>(path: string, { base, ...init }: RequestInit & { base?: string }): Promise<T> {
  const response = await fetch(base + path, init);
  return { status: response.status, data: await response.json(), headers: response.headers } as T;
}
