import { passwordIn } from '@chapter/domain/testing';
import { acting, type Chapter, useChapter } from './setup.ts';

/** Makes a chapter before each test, and returns functions that change passwords in it and log in. */
export const usePasswordChanges = () => {
  const chapter = useChapter();
  return {
    chapter: (): Chapter => chapter,
    update: (who: 'lead' | 'user', target: { id: string }, fields: Record<string, unknown>) =>
      chapter.useCases.updateUser(acting(chapter[who]), target.id, () => ({ fields })),
    passwordOf: async (user: { id: string }) =>
      passwordIn((await chapter.world.credentials.find(user.id))?.passwordHash ?? ''),
    logIn: (username: string, password: string) =>
      chapter.useCases.logIn({ username, password, network: '192.0.2.0/24' }),
  };
};
