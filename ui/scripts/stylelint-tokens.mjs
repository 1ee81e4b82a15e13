// A stylelint rule: colours, type, spaces, radii, shadows and layers are tokens, never raw values.
import valueParser from "postcss-value-parser";
import stylelint from "stylelint";

const name = "paddock/tokens-only";
const messages = stylelint.utils.ruleMessages(name, {
  raw: (property, value) => `${property}: "${value}" is no token; take one of src/theme`,
});

/** Property → tokens that it may name. */
const KINDS = [
  { of: /(^|-)color$|^(fill|stroke)$|^background$/, tokens: /^--(c|code|edge|state|tone)-?/ },
  { of: /^border(-(top|right|bottom|left|block|inline)(-(start|end))?)?$|^outline$/, tokens: /^--(c|s|ring|edge|tone)-?/ },
  { of: /^font-size$/, tokens: /^--t-/ },
  { of: /^font-weight$/, tokens: /^--w-/ },
  { of: /^font-family$/, tokens: /^--font-/ },
  { of: /^(margin|padding)(-|$)|^(row-|column-)?gap$/, tokens: /^--(s|h|icon|bar|ring)(-|$)/ },
  { of: /radius$/, tokens: /^--r-/ },
  { of: /^box-shadow$/, tokens: /^--(shadow|c|s|ring|edge)-?/ },
  { of: /^z-index$/, tokens: /^--z-/ },
];

/** A hairline, an em inside prose, and words. */
const PLAIN = /^(0|0px|1px|auto|none|inherit|initial|unset|transparent|currentcolor|normal|solid|dashed|dotted|hidden|inset|no-repeat|center|-1|-?\d*\.?\d+em)$/i;
const SYSTEM = /^(Canvas|CanvasText|ButtonText|ButtonFace|ButtonBorder|Highlight|HighlightText|GrayText|LinkText|Mark|MarkText)$/;
const MATHS = new Set(["calc", "min", "max", "clamp", "env", "color-mix", "linear-gradient", "attr"]);
/** Inside maths a plain factor or a share of the box is no size of its own. */
const FACTOR = /^-?\d*\.?\d+(%|deg)?$|^[-+*/]$|^(in|srgb|oklab|to|top|bottom|left|right)$/;

function rawParts(nodes, tokens, inMaths) {
  return nodes.flatMap((node) => {
    if (node.type === "function" && node.value === "var") {
      const token = node.nodes[0]?.value ?? "";
      return tokens.test(token) || token.startsWith("--own-") ? [] : [valueParser.stringify(node)];
    }
    if (node.type === "function" && (MATHS.has(node.value) || node.value === "")) return rawParts(node.nodes, tokens, true);
    if (node.type === "function") return [valueParser.stringify(node)];
    if (node.type !== "word" || PLAIN.test(node.value) || SYSTEM.test(node.value)) return [];
    if (inMaths && (FACTOR.test(node.value) || /^\d+d?v[wh]$/.test(node.value))) return [];
    return [node.value];
  });
}

const rule = (enabled) => (root, result) => {
  if (!enabled) return;
  root.walkDecls((declaration) => {
    const kind = KINDS.find(({ of }) => of.test(declaration.prop));
    if (!kind) return;
    const raw = rawParts(valueParser(declaration.value).nodes, kind.tokens, false);
    for (const value of raw) {
      stylelint.utils.report({ ruleName: name, result, node: declaration, message: messages.raw(declaration.prop, value), word: value });
    }
  });
};
rule.ruleName = name;
rule.messages = messages;

export default stylelint.createPlugin(name, rule);
