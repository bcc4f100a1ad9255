//! `#[derive(Tree)]`: makes a struct with tensors in its fields a tree of them.
//!
//! The struct is generic over what stands at its leaves, so that one declaration serves inside a
//! function (`Mlp<Tensor>`) and at a call (`Mlp<Array>`). The macro's code refers to the crate `jx`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Fields, GenericParam, Ident, Member, parse_macro_input};

/// Makes a struct that is generic over its leaves a `jx::Tree`.
///
/// Every field must be a tree when the parameters are: a parameter itself, a container or other derived
/// struct of one, or a static value (`usize`, `bool`, `String`, …).
#[proc_macro_derive(Tree)]
pub fn derive_tree(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new_spanned(name, "Tree is derived for structs; an enum has no fixed set of leaves"));
    };
    let mut params: Vec<Ident> = Vec::new();
    for param in &input.generics.params {
        match param {
            GenericParam::Type(p) => params.push(p.ident.clone()),
            GenericParam::Lifetime(_) | GenericParam::Const(_) => {
                return Err(syn::Error::new_spanned(param, "Tree is derived for structs with type parameters only"));
            }
        }
    }
    if params.is_empty() {
        let message = "Tree needs a type parameter for what stands at the leaves: \
                       `struct Affine<T> { w: T, b: T }`, used as `Affine<Tensor>` and `Affine<Array>`";
        return Err(syn::Error::new_spanned(name, message));
    }
    let members: Vec<Member> = data.fields.members().collect();
    let types: Vec<_> = data.fields.iter().map(|f| &f.ty).collect();
    let keys = members.iter().map(|m| match m {
        Member::Named(ident) => {
            let text = ident.to_string();
            quote!(::jx::tree::Key::Field(#text))
        }
        Member::Unnamed(index) => quote!(::jx::tree::Key::Tuple(#index)),
    });
    let build = |value: &dyn Fn(&Member, &syn::Type) -> TokenStream| {
        let values = members.iter().zip(&types).map(|(m, ty)| {
            let value = value(m, ty);
            quote!(#m: #value)
        });
        quote!(#name { #(#values),* })
    };
    let arrays: Vec<TokenStream> = params.iter().map(|p| quote!(<#p as ::jx::Tree>::Arrays)).collect();
    let leaf = fresh(&params, "JxLeaf");
    let leaves: Vec<TokenStream> = params.iter().map(|p| quote!(<#p as ::jx::Tree>::Leaves<#leaf>)).collect();
    let map_leaves = build(&|m, ty| quote!(<#ty as ::jx::Tree>::map_leaves(&self.#m, f)));
    let map = build(&|m, ty| quote!(<#ty as ::jx::Tree>::map(&self.#m, f)));
    let to_arrays = build(&|m, ty| quote!(<#ty as ::jx::Tree>::to_arrays(&self.#m, f)));
    let from_arrays = build(&|m, ty| quote!(<#ty as ::jx::Tree>::from_arrays(&arrays.#m, f)));
    let unit = matches!(data.fields, Fields::Unit).then(|| quote!(let _ = (&f,);));

    // At a call each parameter may be anything that stands for its leaf.
    let given: Vec<Ident> = params.iter().map(|p| format_ident!("JxGiven{}", p)).collect();
    let bounds = params.iter().zip(&given).map(|(p, x)| quote!(#x: ::jx::tree::IntoArrays<#p>));
    let given_types: Vec<TokenStream> = types.iter().map(|ty| replace_params(quote!(#ty), &params, &given)).collect();
    let into_fields = members
        .iter()
        .zip(&types)
        .zip(&given_types)
        .map(|((m, ty), gty)| quote!(#m: <#gty as ::jx::tree::IntoArrays<#ty>>::into_arrays(self.#m)));
    let into_bounds: Vec<TokenStream> =
        types.iter().zip(&given_types).map(|(ty, gty)| quote!(#gty: ::jx::tree::IntoArrays<#ty>)).collect();

    Ok(quote! {
        #[automatically_derived]
        impl<#(#params: ::jx::Tree),*> ::jx::Tree for #name<#(#params),*> {
            type Arrays = #name<#(#arrays),*>;
            type Leaves<#leaf: ::jx::Tree> = #name<#(#leaves),*>;

            fn spec(&self) -> ::jx::tree::Spec {
                ::jx::tree::Spec::Node(vec![#((#keys, ::jx::Tree::spec(&self.#members))),*])
            }
            fn map_leaves<#leaf: ::jx::Tree>(
                &self,
                f: &mut dyn FnMut(::jx::Tensor) -> #leaf,
            ) -> Self::Leaves<#leaf> {
                #unit
                #map_leaves
            }
            fn map(&self, f: &mut dyn FnMut(::jx::Tensor) -> ::jx::Tensor) -> Self {
                #unit
                #map
            }
            fn to_arrays(&self, f: &mut dyn FnMut(::jx::Tensor) -> ::jx::Array) -> Self::Arrays {
                #unit
                #to_arrays
            }
            fn from_arrays(arrays: &Self::Arrays, f: &mut dyn FnMut(&::jx::Array) -> ::jx::Tensor) -> Self {
                #unit
                #from_arrays
            }
            fn visit(arrays: &Self::Arrays, visit: &mut dyn ::jx::tree::Visit) {
                #(<#types as ::jx::Tree>::visit(&arrays.#members, visit);)*
            }
            fn take(arrays: Self::Arrays, leaf: &mut dyn FnMut(::jx::Array)) {
                #(<#types as ::jx::Tree>::take(arrays.#members, leaf);)*
            }
        }

        #[automatically_derived]
        impl<#(#params: ::jx::Tree,)* #(#bounds),*> ::jx::tree::IntoArrays<#name<#(#params),*>> for #name<#(#given),*>
        where
            #(#into_bounds),*
        {
            fn into_arrays(self) -> #name<#(#arrays),*> {
                #name { #(#into_fields),* }
            }
        }
    })
}

/// A type name that none of the parameters has.
fn fresh(params: &[Ident], wanted: &str) -> Ident {
    let mut name = wanted.to_owned();
    while params.iter().any(|p| *p == name) {
        name.push('_');
    }
    Ident::new(&name, Span::call_site())
}

/// The type with each parameter replaced by its counterpart.
fn replace_params(tokens: TokenStream, params: &[Ident], by: &[Ident]) -> TokenStream {
    let replace = |token| match token {
        proc_macro2::TokenTree::Ident(ident) => {
            let found = params.iter().position(|p| *p == ident);
            proc_macro2::TokenTree::Ident(found.map_or(ident, |i| by[i].clone()))
        }
        proc_macro2::TokenTree::Group(group) => {
            let inner = replace_params(group.stream(), params, by);
            proc_macro2::TokenTree::Group(proc_macro2::Group::new(group.delimiter(), inner))
        }
        token @ (proc_macro2::TokenTree::Punct(_) | proc_macro2::TokenTree::Literal(_)) => token,
    };
    tokens.into_iter().map(replace).collect()
}
