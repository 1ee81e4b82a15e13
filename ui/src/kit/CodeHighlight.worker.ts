// Colours code away from the page's thread. Pure JavaScript expressions, no WebAssembly, grammars bundled.
import { createHighlighterCore } from "shiki/core";
import { createCssVariablesTheme } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import bash from "shiki/langs/bash.mjs";
import c from "shiki/langs/c.mjs";
import cpp from "shiki/langs/cpp.mjs";
import csharp from "shiki/langs/csharp.mjs";
import css from "shiki/langs/css.mjs";
import diff from "shiki/langs/diff.mjs";
import docker from "shiki/langs/docker.mjs";
import go from "shiki/langs/go.mjs";
import html from "shiki/langs/html.mjs";
import ini from "shiki/langs/ini.mjs";
import java from "shiki/langs/java.mjs";
import json from "shiki/langs/json.mjs";
import kotlin from "shiki/langs/kotlin.mjs";
import lua from "shiki/langs/lua.mjs";
import make from "shiki/langs/make.mjs";
import markdown from "shiki/langs/markdown.mjs";
import nix from "shiki/langs/nix.mjs";
import php from "shiki/langs/php.mjs";
import powershell from "shiki/langs/powershell.mjs";
import python from "shiki/langs/python.mjs";
import ruby from "shiki/langs/ruby.mjs";
import rust from "shiki/langs/rust.mjs";
import sql from "shiki/langs/sql.mjs";
import swift from "shiki/langs/swift.mjs";
import toml from "shiki/langs/toml.mjs";
import tsx from "shiki/langs/tsx.mjs";
import xml from "shiki/langs/xml.mjs";
import yaml from "shiki/langs/yaml.mjs";
import type { HighlightAnswer, HighlightQuestion } from "./CodeHighlight";

/** How long one line may take (ms); on a busy computer the usual half second leaves lines half coloured. */
const MOST_MS_A_LINE = 5_000;

const theme = createCssVariablesTheme({ name: "paddock", variablePrefix: "--code-", fontStyle: true });

const ready = createHighlighterCore({
  themes: [theme],
  langs: [
    bash, c, cpp, csharp, css, diff, docker, go, html, ini, java, json, kotlin, lua, make, markdown, nix, php,
    powershell, python, ruby, rust, sql, swift, toml, tsx, xml, yaml,
  ],
  langAlias: {
    sh: "bash", shell: "bash", zsh: "bash", console: "bash", fish: "bash", "c++": "cpp", cs: "csharp", dockerfile: "docker",
    golang: "go", js: "tsx", jsx: "tsx", javascript: "tsx", mjs: "tsx", cjs: "tsx", ts: "tsx", typescript: "tsx", mts: "tsx",
    jsonc: "json", json5: "json", jsonl: "json", kt: "kotlin", makefile: "make", md: "markdown", ps1: "powershell", py: "python",
    rb: "ruby", rs: "rust", svg: "xml", yml: "yaml", env: "ini", patch: "diff",
  },
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});

self.onmessage = async ({ data }: MessageEvent<HighlightQuestion>) => {
  let answer: HighlightAnswer = { id: data.id, lines: null };
  try {
    const highlighter = await ready;
    const { tokens } = highlighter.codeToTokens(data.code, { lang: data.language, theme: "paddock", tokenizeTimeLimit: MOST_MS_A_LINE });
    answer = {
      id: data.id,
      lines: tokens.map((line) =>
        line.map((token) => [token.content, token.color ?? "", token.fontStyle ?? 0] as [string, string, number]),
      ),
    };
  } catch {
    // A language without a grammar, or a grammar the engine cannot run: the code stays plain.
  }
  self.postMessage(answer);
};
